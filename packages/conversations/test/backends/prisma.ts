import { PrismaStore } from '@keepsake/prisma';
import { type PrismaServer, startPrisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/** PostgreSQL, with one database for all places: each is a namespace. */
export function prisma(): Backend {
  let server: PrismaServer;
  let database: ReturnType<PrismaServer['connect']>;
  let places = 0;
  return {
    name: 'PrismaStore',
    shared: true,
    hasClock: true,
    partByDay: true,
    async start() {
      server = await startPrisma();
      database = server.connect();
    },
    makePlace() {
      const { prisma, url } = database;
      const place = `place ${++places}*`;
      return {
        address: ['prisma', url, place],
        open: () => new PrismaStore({ prisma, name: 'conversations', namespace: [place] }),
      };
    },
    stop: () => server.stop(),
  };
}
