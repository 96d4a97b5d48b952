import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaStore, statementName } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import { PrismaClient } from './generated/postgresql/client.ts';

describe('Statements that PostgreSQL prepares', () => {
  const shared = sharedDatabase('PostgreSQL');
  let prisma: PrismaClient;

  beforeAll(() => {
    const pool = { connectionString: shared.database.url, max: 1 };
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator: statementName }) });
  });
  afterAll(() => prisma.$disconnect());

  /** How often each prepared statement has run, by its text. */
  async function prepared(): Promise<Map<string, number>> {
    const rows = await prisma.$queryRawUnsafe<{ name: string; statement: string; times: bigint }[]>(
      'SELECT name, statement, generic_plans + custom_plans AS times FROM pg_prepared_statements',
    );
    for (const { name } of rows) expect(name).toMatch(/^keepsake_[0-9a-f]{32}$/);
    return new Map(rows.map(({ statement, times }) => [statement, Number(times)]));
  }

  it("are Keepsake's, each once per connection, and none of the application's", async () => {
    const session = new PrismaSession({ prisma });
    const turns = ['the green harbour', 'a boat of paint', 'milk'].map((content, index) => ({
      ...{ content, metadata: { index }, turn: { thread: 't', index } },
    }));
    const use = async (query: string) => {
      const store = new PrismaStore({ prisma, name: 'facts' });
      await session.addItems([{ a: 1 }, { b: 2 }]);
      expect(await session.getItems(2)).toEqual([{ a: 1 }, { b: 2 }]);
      await store.putMany(turns);
      expect(await store.search(query, { filter: { index: { lt: 2 } } })).not.toEqual([]);
      expect(await store.search(query)).not.toEqual([]);
      await prisma.$queryRawUnsafe(`SELECT '${query}'`);
    };
    await use('harbour');
    const before = await prepared();
    for (const query of ['green boat', 'harbour paint', 'paint boats and a green harbour']) await use(query);
    const after = await prepared();
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(Math.min(...after.values())).toBeGreaterThan(3);
    expect([...after.keys()].filter((statement) => !statement.includes('keepsake_'))).toEqual([]);
  });

  it('are at most 100, however many kinds of queries there are', async () => {
    const store = new PrismaStore({ prisma, name: 'facts' });
    for (let fields = 1; fields <= 120; fields++) {
      await store.list({ filter: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field ${n}`, n])) });
    }
    expect((await prepared()).size).toBeLessThanOrEqual(100);
    await store.put({ id: 'one', content: 'tea' });
    expect(await store.get('one')).toMatchObject({ content: 'tea' });
  });
});
