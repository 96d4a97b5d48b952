import { join } from 'node:path';
import { startPostgres, startProxy } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { postgresDatabase } from '../databases.ts';
import type { Use } from '../programs/write-on.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const TITLES = [
  'the server is killed and restarted',
  'all connections are cut',
  'nothing gets through for two seconds',
  'all backends are terminated',
] as const;
const TERMINATE =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

describeFaults('on PostgreSQL, half of them with a pool of one', PROGRAM, TITLES, async () => {
  const server = await startPostgres({ own: true });
  const database = await postgresDatabase(server);
  const { prisma } = database;
  const proxy = await startProxy(server);
  const through = Object.assign(new URL(database.url), { host: `${proxy.host}:${proxy.port}` }).href;
  return {
    faults: {
      'the server is killed and restarted': { inflict: () => server.kill(), repair: () => server.restart() },
      'all connections are cut': { inflict: () => proxy.cut(), repair: () => {} },
      'nothing gets through for two seconds': {
        inflict: () => proxy.pause(),
        repair: () => proxy.resume(),
        lastsMs: 2_000,
      },
      'all backends are terminated': { inflict: () => prisma.$queryRawUnsafe(TERMINATE), repair: () => {} },
    },
    argument(place, writer) {
      const connections = /[02468]$/.test(writer) ? 1 : 10;
      return JSON.stringify({ url: through, connections, place, writer } satisfies Use);
    },
    open: (place) => ({
      session: new PrismaSession({ prisma, sessionId: place }),
      store: new PrismaStore({ prisma, name: 'memory', namespace: [place] }),
    }),
    async stop() {
      await database.stop();
      await proxy.stop();
      await server.stop();
    },
  };
});
