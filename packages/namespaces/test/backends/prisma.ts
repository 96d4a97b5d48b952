import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { connectPrisma, type Prisma, startPrisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/** PostgreSQL, with one database per place. */
export const prisma: Backend = {
  name: 'prisma',
  partByDay: true,
  async start() {
    const server = await startPrisma();
    return {
      place() {
        const { prisma, url } = server.connect();
        return { ...openPrisma(prisma), address: url, raw: () => readAll(prisma) };
      },
      stop: () => server.stop(),
    };
  },
  reach(url) {
    const prisma = connectPrisma(url);
    return { ...openPrisma(prisma), close: () => void prisma.$disconnect() };
  },
};

function openPrisma(prisma: Prisma) {
  return { store: new PrismaStore({ prisma, name: 'memory' }), sessions: new PrismaSessionStore({ prisma }) };
}

/** Every row of every table. */
async function readAll(prisma: Prisma): Promise<string> {
  const tables = await prisma.$queryRawUnsafe<{ name: string }[]>(
    "SELECT table_name::text AS name FROM information_schema.tables WHERE table_name LIKE 'keepsake%'",
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" t`);
    rows.push(...found.map(({ row }) => row));
  }
  return rows.join('\n');
}
