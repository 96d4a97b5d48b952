import { SqlLogs } from '@keepsake/sql';
import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { describe } from 'vitest';
import { driverOf } from '../src/database/prisma-driver.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  const shared = sharedDatabase(kind);
  let clients: readonly PrismaClient[] = [];

  // By day, pg shows it for PostgreSQL, with the same statements.
  describe('Logs', kind === 'PostgreSQL' ? { tags: ['nightly'] } : {}, () => {
    describeRecordLogs(`Prisma on ${kind}`, async () => {
      const { prisma } = shared.database;
      await prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');
      if (clients.length === 0) clients = [prisma, shared.database.connect()];
      let opened = 0;
      return {
        // With other connections each time, as in another process.
        open: (embedder) => new SqlLogs(driverOf(clients[opened++ % clients.length] as PrismaClient), embedder),
        async endLeases() {
          await prisma.$executeRawUnsafe('UPDATE keepsake_indexes SET written_ms = 0 WHERE change IS NULL');
        },
      };
    });
  });
}
