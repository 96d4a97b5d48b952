import { PrismaStore } from '@keepsake/prisma';
import { connectPrisma, type Prisma, startPrisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/** PostgreSQL, with one database for all places: each is a namespace. */
export const prisma: Backend = {
  name: 'prisma',
  partByDay: true,
  async start() {
    const server = await startPrisma();
    const { prisma, url } = server.connect();
    let places = 0;
    return {
      place() {
        const name = `place-${++places}`;
        return { open: () => openPlace(prisma, name), address: `${url} ${name}` };
      },
      stop: () => server.stop(),
    };
  },
  reach(address) {
    const [url = '', name = ''] = address.split(' ');
    const prisma = connectPrisma(url);
    return { store: openPlace(prisma, name), close: () => void prisma.$disconnect() };
  },
};

function openPlace(prisma: Prisma, name: string) {
  return new PrismaStore({ prisma, name: 'memory', namespace: [name] });
}
