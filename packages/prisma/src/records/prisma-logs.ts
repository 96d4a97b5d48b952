import type { Embedder, Namespace, NamespaceInfo } from '@keepsake/core';
import { CursorSeal, type NamespaceList } from '@keepsake/core/adapter';
import type { RecordLog, RecordLogs } from '@keepsake/search';
import { openDatabase } from '../database/database.ts';
import type { PrismaLike } from '../database/prisma-client.ts';
import { namespaceKeyOf } from './namespace-key.ts';
import { clearNamespaces, isBelow, isHere, listNamespaces, namespacesBelow } from './namespaces.ts';
import { PrismaLog } from './prisma-log.ts';

/** The records of all namespaces in a database. */
export class PrismaLogs implements RecordLogs {
  readonly durable = true;
  readonly shared = true;
  readonly #prisma: PrismaLike;
  readonly #embedder: Embedder | undefined;

  constructor(prisma: PrismaLike, embedder: Embedder | undefined) {
    this.#prisma = prisma;
    this.#embedder = embedder;
  }

  open(namespace: Namespace): RecordLog {
    return new PrismaLog(this.#prisma, namespace, this.#embedder);
  }

  /** The numbers of a namespace count its own changes only, so that the seal hides nothing. */
  async cursorSeal(): Promise<CursorSeal> {
    return new CursorSeal('');
  }

  async namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    return namespacesBelow(await openDatabase(this.#prisma), namespaceKeyOf(namespace));
  }

  async nextNamespaces(below: Namespace, list: NamespaceList): Promise<NamespaceInfo[]> {
    return listNamespaces(await openDatabase(this.#prisma), namespaceKeyOf(below), list);
  }

  async clearTree(namespace: Namespace): Promise<number> {
    const database = await openDatabase(this.#prisma);
    const key = namespaceKeyOf(namespace);
    return clearNamespaces(
      database,
      (values) => `(${isHere(key, values)} OR ${isBelow(database.dialect, key, values)})`,
    );
  }
}
