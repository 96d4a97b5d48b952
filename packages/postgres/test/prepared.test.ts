import { startPostgres } from '@keepsake/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PostgresSession, PostgresStore, setup } from '../src/index.ts';
import { connectTo } from './connect-to.ts';

it.each(['pg', 'postgres.js'] as const)(
  'connections of %s keep no statements and no settings, unless `prepare` is true',
  async (kind) => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { client, sql, close } = connectTo(kind, await server.createDatabase(), 1);
    onTestFinished(close);
    const settings = "SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name";
    await setup(client, { schema: 'memory' });
    const before = await sql(settings);
    const use = async (prepare?: boolean) => {
      const session = new PostgresSession({ client, schema: 'memory', prepare });
      await session.addItems([{ a: 1 }, { b: 2 }]);
      expect(await session.popItem()).toEqual({ b: 2 });
      const store = new PostgresStore({ client, schema: 'memory', prepare, name: 'memory' });
      await store.put({ id: 'x', content: 'green tea' });
      expect(await store.search('tea')).toHaveLength(1);
      await store.clear();
    };
    // postgres.js prepares one of its own when it connects.
    const ours = "SELECT FROM pg_prepared_statements WHERE statement LIKE '%keepsake_%'";
    const prepared = async () => (await sql(ours)).length;
    for (let round = 0; round < 3; round++) await use();
    expect(await prepared()).toBe(0);
    await use(true);
    const first = await prepared();
    expect(first).toBeGreaterThan(4);
    for (let round = 0; round < 3; round++) await use(true);
    expect(await prepared()).toBe(first);
    expect(await sql(settings)).toEqual(before);
  },
);

describe('a connection of pg that a pooler gives to others between statements', () => {
  async function connected() {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { client, sql, close } = connectTo('pg', await server.createDatabase(), 1);
    onTestFinished(close);
    await setup(client);
    return { sql, session: new PostgresSession({ client, prepare: true }) };
  }
  const refused = { code: 'BACKEND', message: expect.stringMatching(/pooler.*`prepare`.*max_prepared_statements/) };

  it('and that has lost its prepared statements is refused with what to do', async () => {
    const { sql, session } = await connected();
    await session.addItems([{ a: 1 }]);
    await sql('DEALLOCATE ALL');
    await expect(session.addItems([{ a: 2 }])).rejects.toMatchObject(refused);
  });

  it('and that has those of others is refused with what to do', async () => {
    const one = await connected();
    await one.session.addItems([{ a: 1 }]);
    const named = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%keepsake_append_items%'";
    const [statement] = await one.sql(named);
    const other = await connected();
    await other.sql(`PREPARE "${statement?.name}" AS SELECT 1`);
    await expect(other.session.addItems([{ a: 1 }])).rejects.toMatchObject(refused);
  });
});
