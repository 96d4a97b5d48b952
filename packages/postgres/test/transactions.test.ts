import type { PGlite } from '@electric-sql/pglite';
import type { MemoryError } from '@keepsake/core';
import { startPostgres } from '@keepsake/services';
import pg, { type Pool } from 'pg';
import type { Sql } from 'postgres';
import { describe, expect, it } from 'vitest';
import { type PostgresClient, PostgresSession, PostgresSessionStore, PostgresStore } from '../src/index.ts';
import { DRIVERS, type DriverKind } from './connect-to.ts';
import { type Database, serverDatabase, sharedDatabase } from './databases.ts';

/** Does some work in a transaction of the driver. Rolls it back if the work throws. */
type Transact = (client: PostgresClient, work: (transaction: PostgresClient) => Promise<void>) => Promise<unknown>;

const inPg: Transact = async (client, work) => {
  const connection = await (client as Pool).connect();
  try {
    await connection.query('BEGIN');
    await work(connection);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK');
    throw error;
  } finally {
    connection.release();
  }
};

const TRANSACT: Record<DriverKind, Transact> = {
  pg: inPg,
  Neon: inPg,
  'postgres.js': (client, work) => (client as Sql).begin((sql) => work(sql)),
  PGlite: (client, work) => (client as PGlite).transaction((transaction) => work(transaction)),
};

describe.each([...DRIVERS, 'Neon'] as const)('A transaction of %s', (kind) => {
  const shared = sharedDatabase(kind);
  let places = 0;

  /** A place of its own, as seen by one client. */
  function at(place: string, client: PostgresClient) {
    return {
      session: new PostgresSession({ client, sessionId: place }),
      store: new PostgresStore({ client, name: 'memory', namespace: [place] }),
    };
  }

  async function contentsOf({ client }: Database, place: string) {
    const { session, store } = at(place, client);
    return { items: await session.getItems(), records: (await store.list()).items.map(({ content }) => content) };
  }

  async function change(place: string, transaction: PostgresClient): Promise<void> {
    const { session, store } = at(place, transaction);
    await session.addItems([{ a: 1 }, { b: 2 }]);
    expect(await session.popItem()).toEqual({ b: 2 });
    await session.applyHistoryTransaction({
      operationId: 'once',
      transaction: { type: 'replace_suffix', expectedSuffix: [{ a: 1 }], replacement: [{ c: 3 }] },
    });
    await store.putMany([{ id: 'x', content: 'green tea' }, { content: 'milk' }]);
    await store.delete('x');
    expect(await store.search('milk')).toMatchObject([{ content: 'milk' }]);
    expect((await new PostgresSessionStore({ client: transaction }).list({ idPrefix: place })).items).toHaveLength(1);
  }

  it('commits what was changed in it, and shows it to others only then', async () => {
    const place = `${kind} ${places++}`;
    await TRANSACT[kind](shared.database.client, async (transaction) => {
      await change(place, transaction);
      // PGlite has one connection, which the transaction holds.
      if (kind !== 'PGlite') expect(await contentsOf(shared.database, place)).toEqual({ items: [], records: [] });
    });
    expect(await contentsOf(shared.database, place)).toEqual({ items: [{ c: 3 }], records: ['milk'] });
  });

  it('rolls back what was changed in it, also if a session and a store were used before', async () => {
    const place = `${kind} ${places++}`;
    const { session, store } = at(place, shared.database.client);
    await session.addItems([{ a: 0 }]);
    await store.put({ id: 'x', content: 'coffee' });
    const stop = new Error('Rolled back.');
    const changing = TRANSACT[kind](shared.database.client, async (transaction) => {
      const own = at(place, transaction);
      await own.session.clearSession();
      await own.store.clear();
      await own.store.put({ content: 'water' });
      throw stop;
    });
    await expect(changing).rejects.toBe(stop);
    expect(await contentsOf(shared.database, place)).toEqual({ items: [{ a: 0 }], records: ['coffee'] });
    expect(await store.search('coffee')).toHaveLength(1);
    expect(await store.search('water')).toEqual([]);
  });
});

it('A record that was rolled back is not taken for one that another put since', async () => {
  const server = await startPostgres();
  const shared = await serverDatabase('pg', server);
  const own = new pg.Client(shared.url);
  await own.connect();
  const storeOf = (client: PostgresClient) => new PostgresStore({ client, name: 'memory' });
  const [store, other] = [storeOf(own), storeOf(shared.client)];
  await other.put({ id: 'namespace', content: 'is there' });
  for (const createdAt of ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z']) {
    await own.query('BEGIN');
    await store.put({ id: 'x', content: 'rolled back', createdAt });
    await own.query('ROLLBACK');
    // Gets the number that the change of `store` had.
    const { createdAt: time } = await other.put({ id: 'x', content: 'there' });
    expect(await store.put({ id: 'x', content: 'replaced' })).toMatchObject({ createdAt: time });
    await other.delete('x');
  }
  await own.end();
  await shared.stop();
  await server.stop();
});

describe.each(['pg', 'postgres.js'] as const)('Two transactions of %s', (kind) => {
  const shared = sharedDatabase(kind);

  it('that wait for each other: one commits, and the other is told to retry all of it', async () => {
    const { client } = shared.database;
    const add = (transaction: PostgresClient, sessionId: string) =>
      new PostgresSession({ client: transaction, sessionId }).addItems([{ sessionId }]);
    await add(client, 'one');
    await add(client, 'two');
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const ends = await Promise.allSettled([
      TRANSACT[kind](client, async (transaction) => {
        await add(transaction, 'one');
        first.resolve();
        await second.promise;
        await add(transaction, 'two');
      }),
      TRANSACT[kind](client, async (transaction) => {
        await add(transaction, 'two');
        second.resolve();
        await first.promise;
        await add(transaction, 'one');
      }),
    ]);
    const refused = ends.filter((end) => end.status === 'rejected');
    expect(refused).toHaveLength(1);
    const error = refused[0]?.reason as MemoryError;
    expect(error.code).toBe('BACKEND');
    expect(error.retryable).not.toBe(true);
    expect(error.message).toMatch(/concurrent statement.* Roll it back and retry all of it/);
    for (const sessionId of ['one', 'two']) {
      expect(await new PostgresSession({ client, sessionId }).getItems()).toHaveLength(2);
    }
  });
});
