import { PGlite } from '@electric-sql/pglite';
import { isMemoryError, type MemoryError } from '@keepsake/core';
import { type CutPoint, type PostgresServer, startPostgres, startProxy } from '@keepsake/services';
import { putTimes } from '@keepsake/testing/put-times';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type PostgresClient, PostgresSession, PostgresStore, setup } from '../src/index.ts';
import { connectTo } from './connect-to.ts';
import { type Database, serverDatabase } from './databases.ts';

/** The error of a call. */
async function errorOf(call: PromiseLike<unknown>): Promise<MemoryError> {
  return Promise.resolve(call).then(
    () => expect.fail('The call succeeded.'),
    (error) => error,
  );
}

/** A read and a write of each kind. */
function callsOf(client: PostgresClient) {
  const session = new PostgresSession({ client, sessionId: 's' });
  const store = new PostgresStore({ client, name: 'memory' });
  return {
    reads: [() => session.getItems(), () => store.get('x')],
    writes: [() => session.addItems([{ text: 'two' }]), () => store.put({ id: 'x', content: 'two' })],
  };
}

describe.each(['pg', 'postgres.js'] as const)('A client of %s', (kind) => {
  let server: PostgresServer;
  let database: Database;

  beforeAll(async () => {
    server = await startPostgres();
    database = await serverDatabase(kind, server);
    await new PostgresSession({ client: database.client, sessionId: 's' }).addItems([{ text: 'one' }]);
    await new PostgresStore({ client: database.client, name: 'memory' }).put({ id: 'x', content: 'one' });
  });
  afterAll(async () => {
    await database.stop();
    await server.stop();
  });

  async function expectUnchanged(): Promise<void> {
    const { client } = database;
    expect(await new PostgresSession({ client, sessionId: 's' }).getItems()).toEqual([{ text: 'one' }]);
    expect(await new PostgresStore({ client, name: 'memory' }).get('x')).toMatchObject({ content: 'one' });
  }

  it('that was closed is refused, and nothing is sent', async () => {
    const own = connectTo(kind, database.url);
    const { reads, writes } = callsOf(own.client);
    for (const read of reads) await read();
    await own.close();
    for (const call of [...reads, ...writes]) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ code: 'BACKEND', message: 'The client was closed. Pass one that is open.' });
      expect(error.retryable).not.toBe(true);
    }
    await expectUnchanged();
  });

  it('that reaches no server rejects with a retryable error', async () => {
    const own = connectTo(kind, 'postgres://127.0.0.1:1/x');
    onTestFinished(() => own.close());
    const { reads, writes } = callsOf(own.client);
    for (const call of [...reads, ...writes]) {
      expect(await errorOf(call())).toMatchObject({
        code: 'BACKEND',
        retryable: true,
        message: expect.stringContaining('could not be reached'),
      });
    }
  });

  it.each([
    ['statement_timeout', 'statement_timeout', true],
    ['lock_timeout', 'lock_timeout', true],
    ['default_transaction_read_only', 'takes no writes', false],
  ])('with %s names the reason', async (setting, reason, mayPass) => {
    const url = new URL(database.url);
    url.searchParams.set('options', `-c ${setting}=${setting.endsWith('timeout') ? 200 : 'on'}`);
    // postgres.js takes settings by their names.
    const own =
      kind === 'pg'
        ? connectTo(kind, url.href, 1)
        : connectTo(kind, `${database.url}?${setting}=${setting.endsWith('timeout') ? 200 : 'on'}`, 1);
    onTestFinished(() => own.close());
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    onTestFinished(() => blocker.end());
    if (mayPass) await blocker.query('BEGIN; LOCK TABLE keepsake_sessions, keepsake_namespaces IN SHARE MODE');
    for (const write of callsOf(own.client).writes) {
      const error = await errorOf(write());
      expect(error).toMatchObject({ code: 'BACKEND', message: expect.stringContaining(reason) });
      expect(error.retryable ?? false).toBe(mayPass);
    }
    if (mayPass) await blocker.query('ROLLBACK');
    await expectUnchanged();
  });

  it('whose backend is terminated during a write does not know the outcome, and makes the change once when it retries', async () => {
    const own = connectTo(kind, database.url, 1);
    onTestFinished(() => own.close());
    const session = new PostgresSession({ client: own.client, sessionId: 'terminated' });
    await session.addItems([{ text: 'one' }]);
    const [backend] = await own.sql('SELECT pg_backend_pid() AS pid');
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    onTestFinished(() => blocker.end());
    await blocker.query("BEGIN; SELECT FROM keepsake_sessions WHERE id = 'terminated' FOR UPDATE");
    const append = () =>
      session.applyHistoryTransaction({
        operationId: 'once',
        transaction: { type: 'append_items', items: [{ text: 'two' }] },
      });
    const appending = errorOf(append());
    const waits = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE pid = ${backend?.pid} AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await database.sql(waits))[0]?.count).toBe(1);
    await database.sql(`SELECT pg_terminate_backend(${backend?.pid})`);
    expect(await appending).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await blocker.query('ROLLBACK');
    // postgres.js can fail the next call for the same reason.
    await expect.poll(() => append().then(String, String)).toBe('undefined');
    await append();
    expect(await session.getItems()).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it.each<CutPoint>(['request', 'reply', 'half-reply'])(
    'whose connection is cut at a %s does not know the outcome of a write',
    async (point) => {
      const url = new URL(database.url);
      const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
      url.host = `${proxy.host}:${proxy.port}`;
      const own = connectTo(kind, url.href, 1);
      onTestFinished(async () => {
        await own.close();
        await proxy.stop();
      });
      const place = `cut at ${point}`;
      const session = new PostgresSession({ client: own.client, sessionId: place });
      const store = new PostgresStore({ client: own.client, name: 'memory', namespace: [place] });
      for (const [text, write, after] of [
        ['keepsake_append_items', () => session.addItems([{ a: 1 }]), () => session.getItems()],
        ['keepsake_change_records', () => store.put({ id: 'x', content: 'tea' }), () => store.get('x')],
      ] as const) {
        await after();
        const cut = proxy.cutAt(point, text);
        const error = await errorOf(write());
        await cut;
        expect(isMemoryError(error, 'OUTCOME_UNKNOWN'), String(error)).toBe(true);
        const known = await after();
        const isThere = Array.isArray(known) ? known.length > 0 : known !== undefined;
        // postgres.js asks for the types of values first, and that request has the text.
        expect(isThere).toBe(kind === 'pg' && point !== 'request');
      }
      const cut = proxy.cutAt(point, 'keepsake_newest_items');
      expect(await errorOf(session.getItems(1))).toMatchObject({ code: 'BACKEND', retryable: true });
      await cut;
    },
  );

  it('and another one that change the same session and records lose nothing', async () => {
    const other = database.connect();
    const writers = [database, other].map(({ client }) => ({
      session: new PostgresSession({ client, sessionId: 'shared' }),
      store: new PostgresStore({ client, name: 'memory', namespace: ['shared'] }),
    }));
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const { session, store } = writers[n % 2] as (typeof writers)[number];
        await session.addItems([{ n }, { n }]);
        await store.put({ id: `${n % 8}`, content: `tea ${n}` });
      }),
    );
    for (const { session, store } of writers) {
      const items = (await session.getItems()) as { n: number }[];
      expect(items).toHaveLength(80);
      for (let i = 0; i < 80; i += 2) expect(items[i]).toEqual(items[i + 1]);
      const { items: records } = await store.list();
      expect(records.map(({ version }) => version)).toEqual(Array.from({ length: 8 }, () => putTimes(5)));
      expect(await store.search('tea', { maxSearchResults: 20 })).toHaveLength(8);
    }
  });
});

// It takes seconds to start one.
it('A PGlite that was closed is refused', { tags: ['nightly'] }, async () => {
  const db = await PGlite.create();
  await setup(db);
  const { reads, writes } = callsOf(db);
  for (const read of reads) await read();
  await db.close();
  for (const call of [...reads, ...writes]) {
    expect(await errorOf(call())).toMatchObject({ message: 'The client was closed. Pass one that is open.' });
  }
});

it('A Client of pg gets one statement at a time, and outside of a transaction is retried and saves indexes as a pool does', async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const warnings: string[] = [];
  const warn = (warning: Error) => warnings.push(warning.message);
  process.on('warning', warn);
  onTestFinished(async () => {
    process.off('warning', warn);
    await client.end();
    await server.stop();
  });
  await setup(client);
  const store = new PostgresStore({ client, name: 'memory' });
  await Promise.all(Array.from({ length: 20 }, (_, n) => store.put({ content: `tea ${n}` })));
  await Promise.all(Array.from({ length: 20 }, () => store.search('tea')));
  const sessions = Array.from(
    { length: 5 },
    (_, n) => new PostgresSession({ client, sessionId: `${n}`, ttlMs: 60_000, refresh: 'access' }),
  );
  await Promise.all(sessions.map((session) => session.addItems([{ a: 1 }])));
  expect(await Promise.all(sessions.map((session) => session.getItems()))).toEqual(sessions.map(() => [{ a: 1 }]));
  expect(warnings).toEqual([]);
});

it('postgres.js with a transform of names reads the same', async () => {
  const server = await startPostgres();
  const url = await server.createDatabase();
  onTestFinished(() => server.stop());
  await setup(connected(postgres(url, { onnotice() {} })));
  for (const transform of [postgres.camel, postgres.pascal, postgres.kebab]) {
    const client = connected(postgres(url, { transform, max: 2 }));
    const session = new PostgresSession({ client, sessionId: 's' });
    await session.clearSession();
    await session.addItems([{ snake_case: 1 }, { camelCase: 2 }]);
    expect(await session.popItem()).toEqual({ camelCase: 2 });
    expect(await session.getItems()).toEqual([{ snake_case: 1 }]);
    const store = new PostgresStore({ client, name: 'memory' });
    await store.clear();
    const { createdAt } = await store.put({ id: 'x', content: 'tea', metadata: { snake_case: 1 } });
    expect((await store.list()).items).toMatchObject([{ id: 'x', createdAt, metadata: { snake_case: 1 } }]);
  }

  function connected(sql: postgres.Sql): postgres.Sql {
    onTestFinished(() => sql.end());
    return sql;
  }
});
