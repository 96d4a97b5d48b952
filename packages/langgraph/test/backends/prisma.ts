import { PrismaStore } from '@keepsake/prisma';
import { connectPrisma, startPrisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/** PostgreSQL, with one database per place. */
export const prisma: Backend = {
  name: 'prisma',
  async start() {
    const server = await startPrisma();
    return {
      place() {
        const { prisma, url } = server.connect();
        return { open: () => new PrismaStore({ prisma, name: 'memory' }), address: url };
      },
      stop: () => server.stop(),
    };
  },
  reach(url) {
    const prisma = connectPrisma(url);
    return { store: new PrismaStore({ prisma, name: 'memory' }), close: () => void prisma.$disconnect() };
  },
};
