import { PrismaStore } from '@keepsake/prisma';
import { type PrismaServer, startPrisma } from '@keepsake/testing/prisma';
import type { Backend } from './backend.ts';

/** On PostgreSQL, a database a place. */
export function prisma(): Backend {
  let server: PrismaServer;
  return {
    name: 'PrismaStore',
    shared: true,
    async start() {
      server = await startPrisma();
    },
    makePlace() {
      const { prisma, url } = server.connect();
      return { address: ['prisma', url], open: () => new PrismaStore({ prisma, name: 'conversations' }) };
    },
    stop: () => server.stop(),
  };
}
