import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { storeConcerns } from '@keepsake/suites/variants';
import { byDay } from '@keepsake/testing/share';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { describeSessions } from './session-kit.ts';
import { describeStores } from './store-kit.ts';

/* In one file, because a PGlite takes seconds to start. It has pgvector, which an embedder needs. */

describeStores('PGlite', { embedder: fakeEmbedder }, storeConcerns('embedder'));

// Only the adapter differs from that of PostgreSQL.
describeSessions('PGlite', byDay({ concerns: ['reading', 'appending', 'popping', 'JSON values', 'transactions'] }));

const shared = sharedDatabase('PGlite');
let places = 0;

describeRedaction('Prisma', () => {
  const { prisma } = shared.database;
  const place = `place-${places++}`;
  return {
    openStore: (embedder) => new PrismaStore({ prisma, name: 'memory', embedder, namespace: [place] }),
    openSession: () => new PrismaSession({ prisma, sessionId: place }),
  };
});
