import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putCount } from '@keepsake/core/adapter';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

const MANY = rounds(10_000, 3_000);
const KINDS: readonly DatabaseKind[] = ['PostgreSQL', 'SQLite'];

describe.each(KINDS)('A store on %s', (kind) => {
  const shared = sharedDatabase(kind);
  const open = (namespace: string[]) => new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace });

  it('puts a new record at the end of the order if the one with its id has expired', async () => {
    const store = open(['again']);
    await store.put({ id: 'x', content: 'tea', ttlMs: 1 });
    await store.put({ id: 'y', content: 'tea' });
    while ((await store.get('x')) !== undefined);
    expect(await store.put({ id: 'x', content: 'milk' })).toMatchObject({ version: putTimes(1) });
    expect((await store.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(['y', 'x']);
    expect((await store.search('milk')).map(({ id }) => id)).toEqual(['x']);
    expect((await store.search('tea')).map(({ id }) => id)).toEqual(['y']);
  });

  it('forgets exactly one user with the SQL from the guide', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../../docs/prisma.md'), 'utf8');
    const [, sql = ''] = /`(DELETE FROM keepsake_namespaces [^`]+)`/.exec(guide) ?? [];
    const paths = [['u', 'alice'], ['u', 'alice', 'chat', '1'], ['u', 'alice2'], ['u', 'alic'], ['user'], ['u:alice']];
    for (const path of paths) await open(path).put({ id: 'x', content: 'guitar' });
    expect(await shared.database.prisma.$executeRawUnsafe(sql)).toBe(2);
    for (const [index, path] of paths.entries()) {
      const found = (await open(path).search('guitar')).length + Number((await open(path).get('x')) !== undefined);
      expect(found, path.join()).toBe(index < 2 ? 0 : 2);
    }
  });

  it('lists namespaces that are too long for an index, page by page', async () => {
    const long = (n: number) => ['deep', ...Array.from({ length: 12 }, () => '茶'.repeat(250)), `${n}`];
    for (let n = 0; n < 5; n++) await open(long(n)).put({ content: 'tea' });
    const below = open(long(0).slice(0, -1));
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await below.namespaces({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map(({ namespace }) => namespace.at(-1) as string));
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    expect(seen.sort()).toEqual(['0', '1', '2', '3', '4']);
    expect(await open(['deep']).clear({ descendants: true })).toBe(5);
  });

  it(`puts ${MANY} records in one batch, twice`, async () => {
    const store = open(['many']);
    const inputs = Array.from({ length: MANY }, (_, n) => ({ id: `${n}`, content: `tea ${n}` }));
    for (const count of [1, 2]) {
      const put = await store.putMany(inputs);
      expect(put.map(({ id }) => id)).toEqual(inputs.map(({ id }) => id));
      expect(put.every(({ version }) => putCount(version) === count)).toBe(true);
    }
    expect((await store.search(`${MANY - 1}`)).map(({ id }) => id)).toEqual([`${MANY - 1}`]);
    expect(await store.clear()).toBe(MANY);
  });
});
