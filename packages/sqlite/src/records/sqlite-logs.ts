import { type Embedder, formatNamespace, type Namespace, type NamespaceInfo } from '@keepsake/core';
import type { CursorSeal, NamespaceList } from '@keepsake/core/adapter';
import type { RecordLog, RecordLogs } from '@keepsake/search';
import { cursorSeal } from '../database/cursor-seal.ts';
import type { Database } from '../database/database.ts';
import { afterDeletion, eraseCleared } from '../database/erase-deleted.ts';
import { clearNamespace, listNamespaces, namespacesBelow } from './namespace-rows.ts';
import { SqliteLog } from './sqlite-log.ts';

/** The records of all namespaces in a database. */
export class SqliteLogs implements RecordLogs {
  readonly durable = true;
  readonly shared = true;
  readonly #database: Database;
  readonly #embedder: Embedder | undefined;

  constructor(database: Database, embedder: Embedder | undefined) {
    this.#database = database;
    this.#embedder = embedder;
  }

  open(namespace: Namespace): RecordLog {
    return new SqliteLog(this.#database, namespace, this.#embedder);
  }

  cursorSeal(): Promise<CursorSeal> {
    return cursorSeal(this.#database);
  }

  namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    return this.#database.read((connection) => namespacesBelow(connection, namespace));
  }

  nextNamespaces(below: Namespace, list: NamespaceList): Promise<NamespaceInfo[]> {
    return this.#database.read((connection) => listNamespaces(connection, below, list));
  }

  async clearTree(namespace: Namespace): Promise<number> {
    const count = await this.#database.writeLong(function* (connection) {
      let removed = 0;
      for (const one of [namespace, ...namespacesBelow(connection, namespace)]) {
        removed += clearNamespace(connection, formatNamespace(one));
        yield;
      }
      return removed;
    });
    await afterDeletion(eraseCleared(this.#database));
    return count;
  }
}
