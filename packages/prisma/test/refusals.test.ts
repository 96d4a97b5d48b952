import type { MemoryError } from '@keepsake/core';
import { type PostgresServer, startPostgres, startProxy } from '@keepsake/services';
import { asMemoryError } from '@keepsake/sql';
import { putTimes } from '@keepsake/testing/put-times';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { connectTo } from './connect-to.ts';
import { migratePostgres } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';

/** The error of a call. */
async function refusalOf(call: PromiseLike<unknown>): Promise<MemoryError> {
  return Promise.resolve(call).then(
    () => expect.fail('The call succeeded.'),
    (error) => error,
  );
}

const mayPass = (message: RegExp) => ({ code: 'BACKEND', retryable: true, message: expect.stringMatching(message) });
const lasts = (message: RegExp) => ({ code: 'BACKEND', message: expect.stringMatching(message) });

describe('A PostgreSQL server that refuses a statement', () => {
  let server: PostgresServer;
  /** The database of a test. */
  let url: string;
  let admin: Client;
  let clients: PrismaClient[];

  beforeAll(async () => {
    server = await startPostgres({ args: ['-c', 'max_connections=8', '-c', 'superuser_reserved_connections=0'] });
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    url = await server.createDatabase();
    await migratePostgres(url);
    admin = new Client({ connectionString: url });
    admin.on('error', () => {});
    await admin.connect();
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) await client.$disconnect();
    await admin.end();
  });

  function connect(...settings: readonly string[]): PrismaClient {
    const own = new URL(url);
    own.searchParams.set('options', settings.map((setting) => `-c ${setting}`).join(' '));
    const client = connectTo(own.href, { connections: 1 });
    clients.push(client);
    return client;
  }

  /** Both calls of each client have the same refusal, which changes nothing. */
  async function expectRefused(prisma: PrismaClient, refusal: object): Promise<void> {
    const session = new PrismaSession({ prisma, sessionId: 's' });
    const store = new PrismaStore({ prisma, name: 'memory' });
    const calls = [() => session.addItems([{ text: 'two' }]), () => store.put({ id: 'x', content: 'two' })];
    for (const call of calls) expect(await refusalOf(call())).toMatchObject(refusal);
  }

  async function fill(): Promise<PrismaClient> {
    const prisma = connect();
    await new PrismaSession({ prisma, sessionId: 's' }).addItems([{ text: 'one' }]);
    await new PrismaStore({ prisma, name: 'memory' }).put({ id: 'x', content: 'one' });
    return prisma;
  }

  async function expectUnchanged(prisma: PrismaClient): Promise<void> {
    expect(await new PrismaSession({ prisma, sessionId: 's' }).getItems()).toEqual([{ text: 'one' }]);
    expect(await new PrismaStore({ prisma, name: 'memory' }).get('x')).toMatchObject({
      content: 'one',
      version: putTimes(1),
    });
  }

  it('because of a timeout rejects with a retryable error that names the timeout', async () => {
    const direct = await fill();
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE keepsake_sessions, keepsake_namespaces IN SHARE MODE');
    await expectRefused(connect('statement_timeout=200'), mayPass(/statement_timeout/));
    await expectRefused(connect('lock_timeout=200'), mayPass(/lock_timeout/));
    await admin.query('ROLLBACK');
    await expectUnchanged(direct);
  });

  it('within a transaction of the caller says to retry the transaction', async () => {
    await fill();
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE keepsake_sessions IN SHARE MODE');
    const prisma = connect('lock_timeout=200');
    const refusal = await refusalOf(
      prisma.$transaction((tx) => new PrismaSession({ prisma: tx, sessionId: 's' }).addItems([{ text: 'two' }])),
    );
    expect(refusal).toMatchObject(lasts(/lock_timeout.* Roll it back and retry all of it/));
    expect(refusal.retryable).not.toBe(true);
    await admin.query('ROLLBACK');
  });

  it('because it is read-only rejects with an error that says so and is not retryable', async () => {
    const direct = await fill();
    const prisma = connect('default_transaction_read_only=on');
    await expectRefused(prisma, lasts(/takes no writes: it is a standby/));
    expect((await refusalOf(new PrismaSession({ prisma, sessionId: 's' }).popItem())).retryable).not.toBe(true);
    await expectUnchanged(direct);
  });

  it('in the middle of clearing a tree of namespaces has removed nothing', async () => {
    await fill();
    const prisma = connect('lock_timeout=200');
    const store = new PrismaStore({ prisma, name: 'memory' });
    await store.within(['below']).put({ id: 'y', content: 'two' });
    await admin.query('BEGIN');
    await admin.query("SELECT FROM keepsake_namespaces WHERE path = 'below' FOR UPDATE");
    expect(await refusalOf(store.clear({ descendants: true }))).toMatchObject(mayPass(/lock_timeout/));
    await admin.query('ROLLBACK');
    expect((await store.list()).items).toHaveLength(1);
    expect(await store.clear({ descendants: true })).toBe(2);
  });

  it('when a change is retried whose answer was lost refuses the retry only, and the change is made once', async () => {
    const direct = await fill();
    const proxy = await startProxy(server);
    const through = Object.assign(new URL(url), { host: `${proxy.host}:${proxy.port}` });
    const cut = connectTo(through.href, { connections: 1 });
    clients.push(cut);
    const append = (prisma: PrismaClient) =>
      new PrismaSession({ prisma, sessionId: 's' }).applyHistoryTransaction({
        operationId: 'append',
        transaction: { type: 'append_items', items: [{ text: 'two' }] },
      });
    await new PrismaSession({ prisma: cut, sessionId: 's' }).getItems();
    const isCut = proxy.cutAt('reply', 'keepsake_change_session');
    expect(await refusalOf(append(cut))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await isCut;
    await proxy.stop();

    expect(await refusalOf(append(cut))).toMatchObject(mayPass(/could not be reached/));
    expect(await refusalOf(append(connect('default_transaction_read_only=on')))).toMatchObject(lasts(/no writes/));
    await admin.query('BEGIN');
    await admin.query("SELECT FROM keepsake_sessions WHERE id = 's' FOR UPDATE");
    expect(await refusalOf(append(connect('lock_timeout=200')))).toMatchObject(mayPass(/lock_timeout/));
    expect(await refusalOf(append(connect('statement_timeout=200')))).toMatchObject(mayPass(/statement_timeout/));
    await admin.query('ROLLBACK');
    await append(direct);
    const items = await new PrismaSession({ prisma: direct, sessionId: 's' }).getItems();
    expect(items).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('because all connections are taken, or because it shuts down, rejects with a retryable error that says so', async () => {
    const prisma = await fill();
    const taken: Client[] = [];
    // So the client has to connect again.
    await prisma.$disconnect();
    const backends = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'";
    // Its connections end a little later.
    await expect.poll(async () => (await admin.query(backends)).rows[0].count).toBe(1);
    for (let full = false; !full; ) {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect().then(
        () => taken.push(client),
        () => {
          full = true;
        },
      );
    }
    await expectRefused(prisma, mayPass(/max_connections/));
    for (const client of taken) await client.end();
    await expectUnchanged(prisma);

    // A smart shutdown waits for this connection, and refuses new ones.
    const { rows } = await admin.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid");
    await prisma.$disconnect();
    process.kill(Number(rows[0].pid), 'SIGTERM');
    await expect.poll(() => refusalOf(prisma.$queryRawUnsafe('SELECT 1')).then(String)).toContain('57P03');
    await expectRefused(prisma, mayPass(/shutting down/));
    await admin.end();
    await server.restart();
  });
});

/** An error as Prisma passes it on. */
const failure = (cause: object) =>
  Object.assign(new Error('Raw query failed.'), { code: 'P2010', meta: { driverAdapterError: { cause } } });

const TABLES = { missing: '', older: '', newer: '' };

describe('An error', () => {
  it('of a full disk changed nothing, unless the server crashed with it', () => {
    const full = { originalCode: '53100', originalMessage: 'No space left on device', kind: 'postgres' };
    expect(asMemoryError(failure({ ...full, severity: 'ERROR' }), true, TABLES)).toMatchObject(
      lasts(/disk .* is full/),
    );
    const panic = failure({ ...full, severity: 'PANIC' });
    expect(asMemoryError(panic, true, TABLES)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringMatching(/disk .* is full.*start the server/),
    });
    expect(asMemoryError(panic, false, TABLES)).toMatchObject(mayPass(/disk .* is full.*start the server/));
  });

  it('of a proxy that does not know the outcome is OUTCOME_UNKNOWN for a write', () => {
    const unknown = failure({
      originalCode: '40003',
      originalMessage: 'statement completion unknown',
      kind: 'postgres',
    });
    expect(asMemoryError(unknown, true, TABLES).code).toBe('OUTCOME_UNKNOWN');
    expect(asMemoryError(unknown, false, TABLES)).toMatchObject({ code: 'BACKEND', retryable: true });
  });
});
