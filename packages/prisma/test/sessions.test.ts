import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { type DamagedItem, type PrismaLike, PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { type DatabaseKind, damageItem, sharedDatabase } from './databases.ts';

const HOUR = 3_600_000;
const MEGABYTES = rounds(10, 2);
const BATCH = rounds(10_000, 3_000);
const note = (text: string) => ({ type: 'note', text });

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('Sessions on %s', (kind) => {
  const shared = sharedDatabase(kind);

  /** Makes a session expire. */
  async function expire(sessionId: string): Promise<void> {
    await shared.database.prisma.keepsakeSession.update({ where: { id: sessionId }, data: { expiresMs: 1 } });
  }

  /** The remaining lifetime of a session in milliseconds. */
  async function remainingMs(sessionId: string): Promise<number | undefined> {
    const found = await shared.database.prisma.keepsakeSession.findUnique({ where: { id: sessionId } });
    return found?.expiresMs == null ? undefined : Number(found.expiresMs) - Date.now();
  }

  it('that have expired are invisible to reads, and start empty with the next write', async () => {
    const { prisma } = shared.database;
    const store = new PrismaSessionStore({ prisma, ttlMs: HOUR });
    const append = (sessionId: string) =>
      store.open(sessionId).applyHistoryTransaction({
        operationId: 'once',
        transaction: { type: 'append_items', items: [note('old')] },
      });
    for (const id of ['gone', 'rewritten', 'once', 'swept', 'cleared']) {
      await append(id);
      await expire(id);
    }
    expect((await store.list()).items).toEqual([]);
    expect(await store.open('gone').getItems()).toEqual([]);
    expect(await store.open('gone').getItems(1)).toEqual([]);
    expect(await store.open('gone').popItem()).toBeUndefined();
    expect(await store.delete('gone')).toBe(false);

    await store.open('rewritten').addItems([note('new')]);
    expect(await store.open('rewritten').getItems()).toEqual([note('new')]);
    // Operation ids are forgotten with the session.
    await append('once');
    expect(await store.open('once').getItems()).toEqual([note('old')]);
    await store.open('cleared').clearSession();
    expect((await store.list()).items.map(({ sessionId }) => sessionId)).toEqual(['once', 'rewritten']);

    await expire('once');
    expect(await store.sweep()).toBeGreaterThanOrEqual(2);
    expect(await store.sweep()).toBe(0);
    const sessions = await prisma.keepsakeSession.findMany();
    expect(sessions.map(({ id }) => id)).toEqual(['rewritten']);
    expect(await prisma.keepsakeItem.count()).toBe(1);
    expect(await prisma.keepsakeOperation.count()).toBe(0);
  });

  it('expire later after a write, or after a read with `refresh: access`', async () => {
    const { prisma } = shared.database;
    const open = (options: { ttlMs?: number; refresh?: 'access' }) =>
      new PrismaSession({ prisma, sessionId: 'lives', ...options });
    await open({ ttlMs: HOUR }).addItems([note('a')]);
    expect(await remainingMs('lives')).toBeGreaterThan(HOUR / 2);
    await open({ ttlMs: 2 * HOUR }).getItems();
    expect(await remainingMs('lives')).toBeLessThan(1.5 * HOUR);
    await open({ ttlMs: 2 * HOUR, refresh: 'access' }).getItems();
    expect(await remainingMs('lives')).toBeGreaterThan(1.5 * HOUR);
    // Without `ttlMs`, the session keeps its time to live.
    await open({}).addItems([note('b')]);
    await open({}).popItem();
    await open({}).clearSession();
    expect(await remainingMs('lives')).toBeGreaterThan(1.5 * HOUR);
    expect(await remainingMs('lives')).toBeLessThan(2 * HOUR + 1);
  });

  it('report each damaged item once, and keep it', async () => {
    const { prisma } = shared.database;
    const found: DamagedItem[] = [];
    const session = new PrismaSession({ prisma, sessionId: 'damaged', onCorrupt: (item) => found.push(item) });
    await session.addItems([note('a'), note('b'), note('c')]);
    await damageItem(shared.database, 'damaged', 1);
    expect(await session.getItems()).toEqual([note('a'), note('c')]);
    expect(await session.getItems(2)).toEqual([note('a'), note('c')]);
    expect(found).toEqual([{ sessionId: 'damaged', seq: 2 }]);
    expect(await prisma.keepsakeItem.count({ where: { item: { startsWith: '{"type":"no' } } })).toBeGreaterThan(2);
  });

  it(`hold items of ${MEGABYTES} MB, and batches of ${BATCH} items`, async () => {
    const { prisma } = shared.database;
    const large = note('ä"\\\u0000\ud800'.repeat(55_000 * MEGABYTES));
    const session = new PrismaSession({ prisma, sessionId: 'large' });
    await session.addItems([large]);
    expect((await session.getItems())[0]).toEqual(large);
    const many = Array.from({ length: BATCH }, (_, index) => note(`${index}`));
    await session.addItems(many);
    expect((await session.getItems()).slice(1)).toEqual(many);
  });

  it('lose nothing when 50 callers append concurrently through a pool of 5', async () => {
    const prisma = shared.database.connect({ connections: 5 });
    const one = new PrismaSession({ prisma, sessionId: 'crowded' });
    const callers = Array.from({ length: 50 }, (_, caller) =>
      // Half of them share an instance. The others have one each.
      caller % 2 === 0 ? one : new PrismaSession({ prisma, sessionId: 'crowded' }),
    );
    await Promise.all(
      callers.map(async (session, caller) => {
        for (let turn = 0; turn < 4; turn++)
          await session.addItems([note(`${caller} ${turn} a`), note(`${caller} ${turn} b`)]);
      }),
    );
    const texts = (await one.getItems()).map(({ text }) => String(text));
    expect(texts).toHaveLength(400);
    expect(new Set(texts).size).toBe(400);
    for (let at = 0; at < 400; at += 2) expect(texts[at + 1]).toBe(texts[at]?.replace(/a$/, 'b'));
    for (let caller = 0; caller < 50; caller++) {
      const own = texts.filter((text) => text.startsWith(`${caller} `));
      expect(own).toEqual(own.toSorted());
    }
  });

  it('can be created by 32 clients concurrently', async () => {
    const clients = Array.from({ length: 32 }, () => shared.database.connect({ connections: 1 }));
    const open = (prisma: PrismaLike) => new PrismaSession({ prisma, sessionId: 'first use' });
    await Promise.all(clients.map((prisma, client) => open(prisma).addItems([note(`${client}`)])));
    const texts = (await open(shared.database.prisma).getItems()).map(({ text }) => Number(text));
    expect(texts.toSorted((a, b) => a - b)).toEqual(clients.map((_, client) => client));
    await Promise.all(clients.map((prisma) => prisma.$disconnect()));
  });

  it("commit or roll back with the caller's transaction", async () => {
    const { prisma, dialect } = shared.database;
    const id = dialect === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'serial PRIMARY KEY';
    await prisma.$executeRawUnsafe(`CREATE TABLE IF NOT EXISTS "Customer" (id ${id}, name text NOT NULL)`);
    const order = (name: string, fails: boolean) =>
      prisma.$transaction(async (transaction) => {
        const session = new PrismaSession({ prisma: transaction, sessionId: 'with others' });
        await transaction.customer.create({ data: { name } });
        await session.addItems([note(name), note('more')]);
        await session.popItem();
        await new PrismaStore({ prisma: transaction, name: 'memory' }).put({ id: name, content: 'tea' });
        if (fails) throw new Error('mine');
      });
    await order('Ada', false);
    await expect(order('Ben', true)).rejects.toThrow('mine');
    expect(await new PrismaSession({ prisma, sessionId: 'with others' }).getItems()).toEqual([note('Ada')]);
    const { items } = await new PrismaStore({ prisma, name: 'memory' }).list();
    expect(items.map((record) => record.id)).toEqual(['Ada']);
    expect((await prisma.customer.findMany()).map(({ name }) => name)).toEqual(['Ada']);
    await prisma.customer.deleteMany();
  });

  it("do not touch the application's models", async () => {
    const { prisma, dialect } = shared.database;
    const id = dialect === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'serial PRIMARY KEY';
    await prisma.$executeRawUnsafe(`CREATE TABLE IF NOT EXISTS "Customer" (id ${id}, name text NOT NULL)`);
    const customer = await prisma.customer.create({ data: { name: 'Ada' } });
    const store = new PrismaSessionStore({ prisma });
    await store.open('beside').addItems([note('x')]);
    await store.delete('beside');
    expect(await prisma.customer.findMany()).toEqual([customer]);
  });
});
