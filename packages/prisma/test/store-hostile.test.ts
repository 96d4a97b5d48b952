import { writeCursor } from '@keepsake/core/adapter';
import { describeHostileText } from '@keepsake/suites/stores/hostile-text';
import { byDay, rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { PrismaSessionStore, PrismaStore } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

/** More than a statement has parameters. */
const VALUES = rounds(100_000, 70_000);
/** Every night, these are too. */
const RESULTS = byDay({ results: 1_000 }).results ?? 40_000;
/** Every night, 10,000 pairs of different ones. */
const NAMESPACES = rounds(145, 24);

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  const shared = sharedDatabase(kind);
  const open = (namespace: string[] = []) =>
    new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace });
  const rows = async (table: string) => {
    const [row] = await shared.database.prisma.$queryRawUnsafe<{ n: unknown }[]>(`SELECT count(*) AS n FROM ${table}`);
    return Number(row?.n);
  };
  const empty = () => shared.database.prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');

  // By day, the kit gives the database hostile text.
  describe('PrismaStore', { tags: ['nightly'] }, () => {
    describeHostileText(kind, async () => {
      await empty();
      return {
        open,
        async expectNothing() {
          expect(await rows('keepsake_records')).toBe(0);
        },
      };
    });
  });

  describe(`Hostile text and names on ${kind}`, () => {
    beforeEach(async () => {
      await empty();
    });

    // By day, the cases "Content" and "Search text is literal" of the kit.
    it('a text with a megabyte of different words is found by the first of them', { tags: ['nightly'] }, async () => {
      const content = Array.from({ length: 130_000 }, (_, n) => `w${n}x`)
        .join(' ')
        .slice(0, 1_000_000);
      await open().put({ id: 'long', content });
      expect((await open().search('w17x')).map(({ id }) => id)).toEqual(['long']);
      expect((await open().get('long'))?.content).toBe(content);
    });

    it(`a query of thousands of words, a filter of ${VALUES} values and ${RESULTS} results work`, {
      tags: ['nightly'],
    }, async () => {
      const words = Array.from({ length: 2_500 }, (_, n) => `k${n}`).join(' ');
      const turn = { thread: 'talk', index: 0 };
      for (const store of [open(['facts']), open(['talk'])]) {
        const isTalk = store.namespace[0] === 'talk';
        await store.put({ id: 'one', content: `${words} harbour`, ...(isTalk && { turn }) });
        expect((await store.search(`harbour ${words}`)).map(({ id }) => id)).toEqual(['one']);
      }
      const values = Array.from({ length: VALUES }, (_, n) => n);
      const days = values.map((n) => new Date(n * 86_400_000).toISOString());
      const store = open(['many']);
      const record = { content: 'tea', createdAt: '2024-05-01T00:00:00.000Z' };
      for (let from = 0; from < RESULTS; from += 10_000) {
        const batch = values.slice(from, Math.min(from + 10_000, RESULTS));
        await store.putMany(batch.map((n) => ({ ...record, id: `${n}`, metadata: { n } })));
      }
      await store.put({ id: 'other', content: 'tea', metadata: { n: -1 } });
      const filter = { n: { in: values }, createdAt: { in: days } };
      expect((await store.list({ filter, limit: 1 })).items.map(({ id }) => id)).toEqual([`${RESULTS - 1}`]);
      expect(await store.search('tea', { filter, maxSearchResults: 100_000 })).toHaveLength(RESULTS);
      expect(await store.search('tea', { filter: { n: { in: [] } } })).toEqual([]);
    });

    it('a cursor that a caller made up is rejected', async () => {
      const store = open();
      for (const id of ['a', 'b']) await open([id]).put({ id, content: 'tea' });
      const sessions = new PrismaSessionStore({ prisma: shared.database.prisma });
      for (const position of [
        -1,
        1,
        1.5,
        1e300,
        -(2 ** 63),
        2 ** 53,
        '',
        'AAAA',
        "'; DROP TABLE keepsake_records; --",
      ]) {
        const lists = [
          store.list({ cursor: writeCursor('records newest', [position]) }),
          store.list({ order: 'oldest', cursor: writeCursor('records oldest', [position]) }),
          sessions.list({ cursor: writeCursor('sessions', [position]) }),
        ];
        const refused = lists.map((list) =>
          expect(list, `${position}`).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' }),
        );
        await Promise.all(refused);
      }
      for (const text of ['a\0', '\ud800', '\udc00a']) {
        const list = store.namespaces({ cursor: writeCursor('namespaces', [text]) });
        await expect(list, JSON.stringify(text)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
      // Any other value is an ordinary position.
      const literal = writeCursor('namespaces', ["'; DROP TABLE keepsake_records; --"]);
      expect((await store.namespaces({ cursor: literal })).items).toHaveLength(2);
    });

    it(`no namespace can read, delete or count the records of another, among ${NAMESPACES} generated ones`, async () => {
      const segment = fc.stringMatching(/^[:*?[\]\\%_./a]{1,4}$/);
      const path = fc.array(segment, { minLength: 1, maxLength: 3 });
      const twins = fc.constantFrom(['A'], ['a'], ['é'], ['e\u0301'], ['ab'], ['a', 'b'], ['a:b'], ['a%3Ab']);
      const paths = fc.sample(fc.oneof(path, twins), { numRuns: 400, seed: 5 });
      const names = [...new Set(paths.map((one) => JSON.stringify(one)))].slice(0, NAMESPACES);
      expect(names).toHaveLength(NAMESPACES);
      for (const name of names) await open(JSON.parse(name)).put({ id: 'x', content: `tea of ${name}` });
      for (const name of names) {
        const store = open(JSON.parse(name));
        const content = `tea of ${name}`;
        // Compares with all others at once: any leak would add a result.
        expect((await store.list({ limit: 1_000 })).items.map((record) => record.content)).toEqual([content]);
        expect((await store.search('tea', { maxSearchResults: 1_000 })).map((entry) => entry.content)).toEqual([
          content,
        ]);
        expect((await store.get('x'))?.content).toBe(content);
      }
      for (const name of names) {
        expect(await open(JSON.parse(name)).clear()).toBe(1);
        expect(await open(JSON.parse(name)).get('x')).toBeUndefined();
      }
      expect(await rows('keepsake_records')).toBe(0);
    });
  });
}
