import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { putTimes } from '@keepsake/testing/put-times';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../src/cli.ts';
import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '../src/index.ts';
import { type Connected, connectTo } from './connect-to.ts';
import { sharedPGlite } from './databases.ts';

const TABLES = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'keepsake_records'";

describe.each(['pg', 'postgres.js'] as const)('setup through %s', (kind) => {
  let server: PostgresServer;
  let url: string;
  let database: Connected;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createDatabase();
    database = connect(url);
  });

  function connect(to: string): Connected {
    const connected = connectTo(kind, to, 4);
    onTestFinished(() => connected.close());
    return connected;
  }

  /** Uses every statement once, and returns what two users of a schema would see of each other. */
  async function use({ client }: Connected, schema?: string, prepare = false) {
    const session = new PostgresSession({ client, schema, prepare, sessionId: 'u:alice:chat', ttlMs: 60_000 });
    await session.addItems([{ a: 1 }, { type: 'function_call', callId: 'c' }, { b: 2 }]);
    await session.popItem();
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c', replacement: { type: 'function_call', callId: 'd' } }],
    });
    const sessions = new PostgresSessionStore({ client, schema, prepare });
    await sessions.sweep();
    const store = new PostgresStore({ client, schema, prepare, name: 'memory', namespace: ['u', 'alice'] });
    await store.putMany([{ id: 'x', content: 'green tea', ttlMs: 60_000 }, { content: 'milk' }]);
    await store.within(['below']).put({ content: 'water' });
    await store.compact?.();
    return {
      items: await session.getItems(10),
      sessions: (await sessions.list({ segment: 'alice' })).items.map(({ itemCount }) => itemCount),
      found: (await store.search('tea')).map(({ content }) => content),
      listed: (await store.list({ order: 'oldest' })).items.map(({ content }) => content),
      namespaces: (await store.namespaces()).items.map(({ recordCount }) => recordCount),
      deleted: [
        await store.delete('x'),
        await store.clear({ descendants: true }),
        await sessions.delete('u:alice:chat'),
      ],
    };
  }

  const USED = {
    items: [{ a: 1 }, { type: 'function_call', callId: 'd' }],
    sessions: [2],
    found: ['green tea'],
    listed: ['green tea', 'milk'],
    namespaces: [1],
    deleted: [true, 2, true],
  };

  it('creates the tables once, however often and by how many it is called at once', async () => {
    const other = connect(url);
    await Promise.all([database, other, database, other].map(({ client }) => setup(client)));
    await setup(database.client);
    expect(await database.sql(TABLES)).toEqual([{ table_schema: 'public' }]);
    expect(await use(database)).toEqual(USED);
  });

  it.each(['memory', 'Odd "name\' $$'])(
    'creates them in a schema, %s, and leaves the search_path alone',
    async (schema) => {
      await Promise.all([setup(database.client, { schema }), setup(database.client, { schema })]);
      expect(await database.sql(TABLES)).toEqual([{ table_schema: schema }]);
      expect(await database.sql('SHOW search_path')).toEqual([{ search_path: '"$user", public' }]);
      await expect(use(database)).rejects.toThrow('`npx keepsake-postgres migrate`, or call `await setup(client)`');
      for (const prepare of [false, true]) expect(await use(database, schema, prepare)).toEqual(USED);
      // Beside those of another schema, through the same connections.
      await setup(database.client);
      await new PostgresStore({ client: database.client, name: 'memory' }).put({ id: 'x', content: 'elsewhere' });
      const { client } = database;
      for (const prepare of [false, true]) {
        expect(await new PostgresStore({ client, schema, prepare, name: 'memory' }).get('x')).toBeUndefined();
        expect(await new PostgresStore({ client, prepare, name: 'memory' }).get('x')).toMatchObject({
          version: putTimes(1),
        });
      }
    },
  );

  it('is not needed again by a user with the least rights, who can do everything but create', async () => {
    const schema = 'memory';
    await setup(database.client, { schema });
    await database.sql(`CREATE ROLE ${kind === 'pg' ? 'one' : 'two'} LOGIN PASSWORD 'p'`);
    const role = Object.assign(new URL(url), { username: kind === 'pg' ? 'one' : 'two', password: 'p' });
    const limited = connect(role.href);
    await expect(use(limited, schema)).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringMatching(/lacks a permission/),
    });
    await expect(setup(limited.client, { schema: 'another' })).rejects.toThrow(/lacks a permission/);
    await database.sql(`GRANT USAGE ON SCHEMA memory TO ${role.username};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA memory TO ${role.username};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA memory TO ${role.username}`);
    await setup(limited.client, { schema });
    expect(await use(limited, schema)).toEqual(USED);
  });

  it('and every call refuse tables of another version, and say what to do', async () => {
    await setup(database.client);
    await database.sql('UPDATE keepsake_meta SET version = 2');
    const newer = 'of a newer version. Update @keepsake/postgres.';
    await expect(use(connect(url))).rejects.toThrow(newer);
    const other = connect(url);
    await expect(setup(other.client)).rejects.toThrow(newer);
    await database.sql('UPDATE keepsake_meta SET version = 0');
    await expect(use(connect(url))).rejects.toThrow('of an older version. Run `npx keepsake-postgres migrate`.');
  });

  it('is undone by the statement in the recipes, which leaves other tables alone', async () => {
    const recipes = readFileSync(join(import.meta.dirname, '../../../docs/recipes.md'), 'utf8');
    const [, removal = ''] = /```sql\n(.*?)```/s.exec(recipes) ?? [];
    await setup(database.client);
    await database.sql('CREATE TABLE keepsakes (name text); CREATE FUNCTION mine() RETURNS int RETURN 1');
    await database.sql(removal);
    const left = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY name`;
    expect(await database.sql(left)).toEqual([{ name: 'keepsakes' }, { name: 'mine' }]);
    await setup(database.client);
    expect(await use(database)).toEqual(USED);
  });

  it('works without the tables before, once they are there', async () => {
    const store = new PostgresStore({ client: database.client, name: 'memory' });
    await expect(store.get('x')).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringMatching(/does not have Keepsake's tables/),
    });
    await setup(database.client);
    expect(await store.get('x')).toBeUndefined();
  });

  it('is the program keepsake-postgres', async () => {
    expect(await run(['migrate', '--schema', 'memory'], import.meta.dirname, url)).toEqual({
      status: 0,
      stdout: "Keepsake's tables are up to date.\n",
      stderr: '',
    });
    expect(await use(database, 'memory')).toEqual(USED);
  });
});

describe('setup', () => {
  it('in a transaction is part of it, and changes nothing else there', async () => {
    const db = await sharedPGlite();
    onTestFinished(async () => {
      await db.exec('DROP SCHEMA IF EXISTS memory CASCADE');
    });
    const before = (await db.query(TABLES)).rows;
    const stop = new Error('Rolled back.');
    const creating = db.transaction(async (transaction) => {
      const path = await transaction.query('SHOW search_path');
      await setup(transaction, { schema: 'memory' });
      expect((await transaction.query('SHOW search_path')).rows).toEqual(path.rows);
      throw stop;
    });
    await expect(creating).rejects.toBe(stop);
    expect((await db.query(TABLES)).rows).toEqual(before);
    await setup(db, { schema: 'memory' });
    expect((await db.query(TABLES)).rows).toContainEqual({ table_schema: 'memory' });
  });

  it('rejects options that are not its own', async () => {
    const client = { query: () => Promise.reject(new Error('Nothing must be sent.')) };
    await expect(setup(client, { schma: 'a' } as object)).rejects.toThrow('`schema`');
    for (const schema of ['', 'a\0b', 1 as never]) {
      await expect(setup(client, { schema })).rejects.toThrow('`schema` must be the name of a schema.');
    }
  });

  it('as a program prints what is wrong with its arguments, and what fails', async () => {
    const here = import.meta.dirname;
    expect(await run(['--help'], here)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/Usage: npx keepsake-postgres migrate/),
    });
    expect(await run(['init'], here)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^The only command is migrate\./),
    });
    expect(await run(['migrate'], here)).toMatchObject({ status: 1, stderr: 'Pass --url, or set DATABASE_URL.\n' });
    const nowhere = await run(['migrate', '--url', 'postgres://127.0.0.1:1/x'], here);
    expect(nowhere).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/could not be reached.* Cause: .*ECONNREFUSED/),
    });
    const folder = await mkdtemp(join(tmpdir(), 'keepsake-postgres-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const none = await run(['migrate', '--url', 'postgres://127.0.0.1:1/x'], folder);
    expect(none).toMatchObject({ status: 1, stderr: 'Install pg or postgres in your project first.\n' });
  });
});
