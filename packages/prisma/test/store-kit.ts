import { describeStores as describeKits, ON_A_SERVER } from '@keepsake/suites/whole-kit';
import { describe, it } from 'vitest';
import { PrismaStore, type PrismaStoreOptions } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

/** Runs the conformance kits for stores on a database, or only what is about some concerns. */
export function describeStores(
  kind: DatabaseKind,
  own: Pick<PrismaStoreOptions, 'embedder'> = {},
  concerns: { readonly concerns?: readonly string[] } = {},
): void {
  const shared = sharedDatabase(kind);
  describeKits({
    describe,
    it,
    name: `PrismaStore on ${kind}${own.embedder === undefined ? '' : ', with an embedder'}`,
    capabilities: own.embedder === undefined ? ON_A_SERVER : { ...ON_A_SERVER, search: 'hybrid' },
    ...concerns,
    async place() {
      const { prisma } = shared.database;
      await prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');
      return { store: (options) => new PrismaStore({ prisma, name: 'memory', ...own, ...options }) };
    },
  });
}
