import { describeRedaction } from '@keepsake/suites/stores/redaction';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

// It has pgvector, which an embedder needs.
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
