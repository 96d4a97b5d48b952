import { InMemoryStore } from '@keepsake/in-memory';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import { ON_A_SERVER } from '@keepsake/suites/whole-kit';
import { PrismaStore } from '../src/index.ts';
import { type Database, sharedDatabase } from './databases.ts';

const shared = sharedDatabase('PostgreSQL');

describeEncryptedStore({
  name: 'PrismaStore',
  kitAtNight: true,
  capabilities: ON_A_SERVER,
  index: () => new InMemoryStore({ name: 'index' }),
  async harness() {
    const { prisma } = shared.database;
    await prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');
    return {
      open: (options) => new PrismaStore({ prisma, name: 'memory', ...options }),
      stored: () => rowsOf(shared.database),
    };
  },
});

/** All rows of Keepsake's tables. */
async function rowsOf({ prisma }: Database): Promise<string> {
  const tables = await prisma.$queryRawUnsafe<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_name LIKE 'keepsake_%'",
  );
  const rows: unknown[] = [];
  for (const { name } of tables) {
    rows.push(...(await prisma.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM "${name}" AS t`)));
  }
  return Buffer.from(JSON.stringify(rows), 'utf8').toString('latin1');
}
