import { PrismaStore } from '@keepsake/prisma';
import { type PrismaServer, startPrisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/** PostgreSQL, with one database per place. */
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
