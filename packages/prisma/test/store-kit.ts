import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { PrismaStore, type PrismaStoreOptions } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

/** What a store on any database promises. With an embedder, its search is hybrid. */
export const CAPABILITIES = {
  search: 'lexical',
  consistency: 'strong',
  durable: true,
  shared: true,
  atomicBatch: true,
  ttl: true,
  enumerate: true,
  filter: true,
  history: true,
} as const;

/**
 * Runs the kits for stores on a database.
 *
 * @param concerns - Of a variant by day: only the cases about these, and not the smaller kit.
 */
export function describeStores(
  kind: DatabaseKind,
  own: Pick<PrismaStoreOptions, 'embedder'> = {},
  concerns: { readonly concerns?: readonly string[] } = {},
): void {
  const shared = sharedDatabase(kind);
  const search = own.embedder === undefined ? 'lexical' : 'hybrid';
  const name = `PrismaStore on ${kind}${own.embedder === undefined ? '' : ', with an embedder'}`;
  /** Each case starts with an empty store. */
  const opener = async () => {
    const { prisma } = shared.database;
    await prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');
    return (options: Partial<PrismaStoreOptions> = {}) =>
      new PrismaStore({ prisma, name: 'memory', ...own, ...options });
  };

  describeRecordStore({
    describe,
    it,
    name,
    capabilities: { ...CAPABILITIES, search },
    ...concerns,
    harness: async () => ({ open: await opener() }),
  });

  if (concerns.concerns !== undefined) return;
  describeMemoryStore({
    describe,
    it,
    name,
    capabilities: { search, add: true, addMessages: 'verbatim', filter: true },
    async harness() {
      const open = await opener();
      return {
        open,
        async fill(contents) {
          await open().putMany(contents.map((content) => ({ content })));
        },
      };
    },
  });
}
