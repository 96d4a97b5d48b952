import { describeMemoryStore, describeRecordStore } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { PrismaStore, type PrismaStoreOptions } from '../src/index.ts';
import { type Place, sharedDatabase } from './databases.ts';

/** The kits for stores, on that database. */
export function describeStores(place: Place, own: Pick<PrismaStoreOptions, 'embedder'> = {}): void {
  const shared = sharedDatabase(place);
  const search = own.embedder === undefined ? 'lexical' : 'hybrid';
  const name = `PrismaStore on ${place}${own.embedder === undefined ? '' : ', with an embedder'}`;
  /** Each case begins with nothing. */
  const opener = async () => {
    const { prisma } = shared.database;
    await prisma.$executeRawUnsafe('DELETE FROM keepsake_records');
    return (options: Partial<PrismaStoreOptions> = {}) =>
      new PrismaStore({ prisma, name: 'memory', ...own, ...options });
  };

  describeRecordStore({
    describe,
    it,
    name,
    capabilities: {
      search,
      consistency: 'strong',
      durable: true,
      shared: true,
      atomicBatch: true,
      ttl: true,
      enumerate: true,
      filter: true,
    },
    harness: async () => ({ open: await opener() }),
  });

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
