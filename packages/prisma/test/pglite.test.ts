import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { byDay } from '@keepsake/testing/share';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import { describeSessions } from './session-kit.ts';
import { describeStores } from './store-kit.ts';

/* In one file, because a PGlite takes seconds to start. */

// PostgreSQL passes all cases, without vectors.
describeStores(
  'PGlite',
  { embedder: fakeEmbedder },
  byDay({ concerns: ['Capabilities', 'Putting', 'Replacing', 'Deleting', 'Searching'] }),
);

// Only the adapter differs from that of PostgreSQL.
describeSessions('PGlite', byDay({ concerns: ['reading', 'popping', 'JSON values', 'transactions'] }));

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
