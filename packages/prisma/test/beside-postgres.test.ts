import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '@keepsake/postgres';
import { putTimes } from '@keepsake/testing/put-times';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

describe('Prisma and @keepsake/postgres on one database', () => {
  const shared = sharedDatabase('PostgreSQL');
  let client: pg.Pool;

  beforeAll(async () => {
    client = new pg.Pool({ connectionString: shared.database.url });
    await setup(client);
  });
  afterAll(() => client.end());

  it('see the same sessions and records, and change them at the same time', async () => {
    const { prisma } = shared.database;
    const place = { name: 'memory', namespace: ['u', 'alice'] };
    const stores = [new PrismaStore({ prisma, ...place }), new PostgresStore({ client, ...place })];
    const sessionId = 'u:alice:chat';
    const sessions = [new PrismaSession({ prisma, sessionId }), new PostgresSession({ client, sessionId })];
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        await stores[n % 2]?.put({ id: `${n % 8}`, content: `tea ${n % 8}` });
        await sessions[n % 2]?.addItems([{ n }]);
      }),
    );
    for (const store of stores) {
      expect(await store.search('tea 3', { maxSearchResults: 1 })).toMatchObject([{ content: 'tea 3' }]);
      expect((await store.list({ limit: 20 })).items.map(({ version }) => version)).toEqual(
        Array.from({ length: 8 }, () => putTimes(5)),
      );
    }
    const items = await Promise.all(sessions.map((session) => session.getItems()));
    expect(items[0]).toHaveLength(40);
    expect(items[0]).toEqual(items[1]);
    // A cursor of one is one of the other.
    const first = await new PrismaSessionStore({ prisma }).list({ limit: 1 });
    await sessions[1]?.addItems([{ n: 40 }]);
    await new PostgresSession({ client, sessionId: 'other' }).addItems([{ n: 0 }]);
    const page = await new PostgresSessionStore({ client }).list({ limit: 1 });
    expect(first.items[0]?.sessionId).toBe(sessionId);
    const { cursor } = page;
    if (cursor === undefined) throw new Error('There is no other page.');
    const next = await new PrismaSessionStore({ prisma }).list({ cursor });
    expect(next.items.map((session) => session.sessionId)).toEqual([sessionId]);
  });
});
