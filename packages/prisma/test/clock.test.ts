import { afterEach, describe, expect, it, vi } from 'vitest';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

const DAY = 86_400_000;

/** Sets the clock of this process, but not that of the database, to another time. */
function setProcessClock(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
}

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('With a wrong process clock, on %s,', (kind) => {
  const shared = sharedDatabase(kind);
  afterEach(() => {
    vi.useRealTimers();
  });

  it('records get their times from the clock of the database, and expire by it', async () => {
    const store = new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace: ['times'] });
    const start = Date.now();
    for (const years of [-10, 10]) {
      setProcessClock(start + years * 365 * DAY);
      const { createdAt, updatedAt, expiresAt } = await store.put({ id: `${years}`, content: 'tea', ttlMs: DAY });
      expect(Math.abs(Date.parse(createdAt) - start)).toBeLessThan(DAY / 24);
      expect(updatedAt).toBe(createdAt);
      expect(Date.parse(String(expiresAt)) - Date.parse(createdAt)).toBe(DAY);
      expect(await store.get(`${years}`)).toMatchObject({ createdAt, expiresAt });
    }
    expect((await store.search('tea')).length).toBe(2);
    await store.compact?.();
    expect((await store.list()).items).toHaveLength(2);
  });

  it('sessions get their times from the clock of the database, and expire by it', async () => {
    const { prisma } = shared.database;
    const store = new PrismaSessionStore({ prisma, ttlMs: DAY });
    const start = Date.now();
    for (const years of [-10, 10]) {
      setProcessClock(start + years * 365 * DAY);
      const session = new PrismaSession({ prisma, sessionId: `${years}`, ttlMs: DAY, refresh: 'access' });
      await session.addItems([{ years }]);
      expect(await session.getItems()).toEqual([{ years }]);
    }
    const { items } = await store.list();
    for (const { createdAt, updatedAt } of items) {
      expect(Math.abs(Date.parse(createdAt) - start)).toBeLessThan(DAY / 24);
      expect(Math.abs(Date.parse(updatedAt) - start)).toBeLessThan(DAY / 24);
    }
    expect(items).toHaveLength(2);
    expect(await store.sweep()).toBe(0);
  });

  it.each([
    ['a namespace', {}],
    ['a tree of namespaces', { descendants: true }],
  ])('a search of %s for "yesterday" counts from the time of the database', async (place, options) => {
    const store = new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace: [place] });
    const start = Date.now();
    await store.putMany(
      [1, 400, 800].map((days) => ({
        id: `${days} days ago`,
        content: 'We drank tea',
        turn: { thread: `${days}`, index: 0 },
        createdAt: new Date(start - days * DAY).toISOString(),
      })),
    );
    const search = () => store.search('When did we drink tea yesterday?', options);
    const expected = await search();
    expect(expected.map(({ id }) => id)[0]).toBe('1 days ago');
    expect(expected[0]?.score).toBeGreaterThan(Number(expected[1]?.score));
    setProcessClock(start - 399 * DAY);
    expect(await search()).toEqual(expected);
  });
});
