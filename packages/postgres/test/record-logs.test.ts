import { SqlLogs } from '@keepsake/sql';
import { describeRecordLogs } from '@keepsake/suites/stores/record-logs';
import { driverOf } from '../src/postgres-driver.ts';
import type { Connected } from './connect-to.ts';
import { sharedDatabase } from './databases.ts';

const shared = sharedDatabase('pg');
let clients: readonly Connected[] = [];

describeRecordLogs('PostgreSQL through pg', async () => {
  const { database } = shared;
  await database.sql('DELETE FROM keepsake_namespaces');
  if (clients.length === 0) clients = [database, database.connect()];
  let opened = 0;
  return {
    // With other connections each time, as in another process.
    open: (embedder) => new SqlLogs(driverOf(clients[opened++ % clients.length] as Connected), embedder),
    async endLeases() {
      await database.sql('UPDATE keepsake_indexes SET written_ms = 0 WHERE change IS NULL');
    },
  };
});
