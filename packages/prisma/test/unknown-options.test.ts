import { refusesUnknownOptions } from '@keepsake/testing';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';

const prisma = { $queryRawUnsafe: async () => [], $executeRawUnsafe: async () => 0 };

refusesUnknownOptions([
  ['new PrismaSession', (options) => new PrismaSession(options), { prisma, sessionID: 'a' }, 'sessionId'],
  ['new PrismaSessionStore', (options) => new PrismaSessionStore(options), { prisma, ttlMS: 1 }, 'ttlMs'],
  ['new PrismaStore', (options) => new PrismaStore(options), { prisma, name: 'a', nameSpace: ['user'] }, 'namespace'],
]);
