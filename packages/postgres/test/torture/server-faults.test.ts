import { join } from 'node:path';
import { startPostgres, startProxy } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { PostgresSession, PostgresStore } from '../../src/index.ts';

import { serverDatabase } from '../databases.ts';
import type { Use } from '../programs/write-on.ts';
import { TORTURED } from './drivers.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const TITLES = [
  'the server is killed and restarted',
  'all connections are cut',
  'nothing gets through for two seconds',
  'all backends are terminated',
] as const;
const TERMINATE =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

for (const kind of TORTURED) {
  describeFaults(`through ${kind}, half of them with a pool of one`, PROGRAM, TITLES, async () => {
    const server = await startPostgres({ own: true });
    const database = await serverDatabase(kind, server);
    const { client, sql } = database;
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
        'all backends are terminated': { inflict: () => sql(TERMINATE), repair: () => {} },
      },
      argument(place, writer) {
        const connections = /[02468]$/.test(writer) ? 1 : 10;
        return JSON.stringify({ kind, url: through, connections, place, writer } satisfies Use);
      },
      open: (place) => ({
        session: new PostgresSession({ client, sessionId: place }),
        store: new PostgresStore({ client, name: 'memory', namespace: [place] }),
      }),
      async stop() {
        await database.stop();
        await proxy.stop();
        await server.stop();
      },
    };
  });
}
