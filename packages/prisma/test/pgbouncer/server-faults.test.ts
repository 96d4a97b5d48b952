import { join } from 'node:path';
import { startPgBouncer, startPostgres, startProxy } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { postgresDatabase } from '../databases.ts';
import type { Use } from '../programs/write-on.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const TITLES = [
  'the server is killed and restarted',
  'PgBouncer is killed and restarted',
  'all connections to PgBouncer are cut',
  'all backends are terminated',
] as const;
const TERMINATE =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

describeFaults('on PostgreSQL through PgBouncer in transaction mode', PROGRAM, TITLES, async () => {
  const server = await startPostgres({ own: true });
  const database = await postgresDatabase(server);
  const { prisma } = database;
  // Fewer connections than the four processes have, so that their transactions take turns on each.
  const bouncer = await startPgBouncer({ url: database.url, connections: 3 });
  const proxy = await startProxy(bouncer);
  const through = Object.assign(new URL(bouncer.url), { host: `${proxy.host}:${proxy.port}` }).href;
  return {
    faults: {
      'the server is killed and restarted': { inflict: () => server.kill(), repair: () => server.restart() },
      'PgBouncer is killed and restarted': { inflict: () => bouncer.kill(), repair: () => bouncer.restart() },
      'all connections to PgBouncer are cut': { inflict: () => proxy.cut(), repair: () => {} },
      'all backends are terminated': { inflict: () => prisma.$queryRawUnsafe(TERMINATE), repair: () => {} },
    },
    argument: (place, writer) => JSON.stringify({ url: through, connections: 5, place, writer } satisfies Use),
    open: (place) => ({
      session: new PrismaSession({ prisma, sessionId: place }),
      store: new PrismaStore({ prisma, name: 'memory', namespace: [place] }),
    }),
    async stop() {
      await database.stop();
      await proxy.stop();
      await bouncer.stop();
      await server.stop();
    },
  };
});
