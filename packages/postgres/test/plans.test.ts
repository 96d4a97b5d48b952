import { startPostgres } from '@keepsake/services';
import { expect, it, onTestFinished } from 'vitest';
import { PostgresSession, setup } from '../src/index.ts';
import { connectTo, SERVER_DRIVERS } from './connect-to.ts';

it.each(SERVER_DRIVERS)(
  'a plan that a connection of %s made for few items does not read a whole table later',
  async (kind) => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { client, sql, close } = connectTo(kind, await server.createDatabase(), 1);
    onTestFinished(close);
    const scans = async () => {
      await sql('SELECT pg_stat_force_next_flush()');
      return sql("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'keepsake_items'");
    };
    await setup(client);
    const session = new PostgresSession({ client });
    await session.addItems([{ n: 0 }, { n: 1 }]);
    // For so few, it would be the fastest.
    await sql('ALTER TABLE keepsake_items SET (autovacuum_enabled = off)');
    await sql('ANALYZE');
    for (let round = 0; round < 8; round++) expect(await session.getItems(1)).toEqual([{ n: 1 }]);
    await session.addItems(Array.from({ length: 20_000 }, (_, n) => ({ n })));
    const before = await scans();
    expect(await session.getItems(2)).toEqual([{ n: 19_998 }, { n: 19_999 }]);
    expect(await scans()).toEqual(before);
  },
);
