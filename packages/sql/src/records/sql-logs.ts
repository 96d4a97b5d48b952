import type { Embedder, Namespace, NamespaceInfo } from '@keepsake/core';
import { CursorSeal, type NamespaceList } from '@keepsake/core/adapter';
import { type RecordLog, type RecordLogs, SeenRecords } from '@keepsake/search';
import { openDatabase } from '../database/database.ts';
import type { Driver } from '../database/driver.ts';
import { namespaceKeyOf } from './namespace-key.ts';
import { clearNamespaces, isBelow, isHere, listNamespaces, namespacesBelow } from './namespaces.ts';
import { SqlLog } from './sql-log.ts';

/** The records of all namespaces in a database. */
export class SqlLogs implements RecordLogs {
  readonly durable = true;
  readonly shared = true;
  readonly #driver: Driver;
  readonly #embedder: Embedder | undefined;
  readonly #seen = new SeenRecords();

  constructor(driver: Driver, embedder: Embedder | undefined) {
    this.#driver = driver;
    this.#embedder = embedder;
  }

  open(namespace: Namespace): RecordLog {
    return new SqlLog(this.#driver, namespace, this.#embedder, this.#seen.in(namespace));
  }

  /** The numbers of a namespace count its own changes only, so that the seal hides nothing. */
  async cursorSeal(): Promise<CursorSeal> {
    return new CursorSeal('');
  }

  async namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    return namespacesBelow(await openDatabase(this.#driver), namespaceKeyOf(namespace));
  }

  async nextNamespaces(below: Namespace, list: NamespaceList): Promise<NamespaceInfo[]> {
    return listNamespaces(await openDatabase(this.#driver), namespaceKeyOf(below), list);
  }

  async clearTree(namespace: Namespace): Promise<number> {
    const database = await openDatabase(this.#driver);
    const key = namespaceKeyOf(namespace);
    return clearNamespaces(
      database,
      (values) => `(${isHere(key, values)} OR ${isBelow(database.dialect, key, values)})`,
    );
  }
}
