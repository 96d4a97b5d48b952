// @module-tag nightly: planners choose indexes for large tables only.

import { beforeAll, describe, expect, it } from 'vitest';
import { type PrismaLike, PrismaStore } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';
import { recordingClient, type Sent } from './recording-client.ts';

const RECORDS = 100_000;
const WORDS = 'tea milk harbour boat green paint guitar lighthouse apple garden letter window'.split(' ');

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('The plans of a store on %s', (kind) => {
  const shared = sharedDatabase(kind);

  beforeAll(async () => {
    const { prisma } = shared.database;
    const store = new PrismaStore({ prisma, name: 'memory' });
    for (let from = 0; from < RECORDS; from += 10_000) {
      const inputs = Array.from({ length: 10_000 }, (_, index) => {
        const n = from + index;
        const said = [1, 3, 7].map((step) => WORDS[(n * step) % WORDS.length]).join(' ');
        return { id: `${n}`, content: `${said} number${n}`, turn: { thread: `t${n % 4_000}`, index: n } };
      });
      await store.within([`user ${(from / 10_000) % 5}`]).putMany(inputs);
    }
    await prisma.$executeRawUnsafe('ANALYZE');
  }, 300_000);

  it('use an index for every table, in every operation', async () => {
    const sent: Sent[] = [];
    const prisma = recordingClient(shared.database.prisma, sent);
    const root = new PrismaStore({ prisma, name: 'memory' });
    const store = root.within(['user 1']);
    await store.get('10001');
    await store.search('number10007 lighthouse');
    await store.search('number10007', { filter: { topic: 'tea', createdAt: { gte: '2020-01-01' } } });
    expect(await root.search('number10007 lighthouse', { descendants: true })).not.toEqual([]);
    await store.list({ filter: { topic: 'tea' }, limit: 10 });
    await store.list({ filter: { topic: { ne: 'tea' }, 'source.kind': { exists: false } }, limit: 10 });
    expect((await store.list({ idPrefix: '1000', limit: 100 })).items).toHaveLength(10);
    const page = await store.list({ order: 'oldest', limit: 10 });
    await store.list({ order: 'oldest', limit: 10, cursor: page.cursor as string });
    await root.namespaces();
    const { version: ifVersion } = await store.put({ id: 'new', content: 'tea' });
    expect((await store.put({ id: 'new', content: 'milk' }, { ifVersion })).version).toBe(ifVersion + 1);
    await store.delete('new');
    await root.within(['nobody']).clear({ descendants: true });
    await root.within(['user 4']).clear();
    await root.within(['user 3']).compact?.();
    const statements = sent.filter(({ sql }) => /keepsake_(record|namespace|index|page)/.test(sql));
    expect(statements.length).toBeGreaterThan(16);
    for (const statement of statements) {
      const plan = await planOf(kind, shared.database.prisma, statement);
      expect(plan.filter(readsAll), `${statement.sql}\n${plan.join('\n')}`).toEqual([]);
    }
  });
});

async function planOf(kind: DatabaseKind, prisma: PrismaLike, { sql, values }: Sent): Promise<string[]> {
  if (kind === 'SQLite') {
    const rows = await prisma.$queryRawUnsafe<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    return rows.map(({ detail }) => detail);
  }
  const rows = await prisma.$queryRawUnsafe<Record<string, string>[]>(`EXPLAIN ${sql}`, ...values);
  return rows.map((row) => row['QUERY PLAN'] as string);
}

/** A step that reads a whole table although there is an index. */
function readsAll(step: string): boolean {
  // Tables with a row for each namespace, index or page are so small here that an index would take longer.
  if (/Seq Scan on keepsake_(?!namespaces|indexes|pages|cleared)/.test(step)) return true;
  return /^SCAN (keepsake_records|r)\b/.test(step) && !/USING (COVERING )?INDEX|VIRTUAL TABLE/.test(step);
}
