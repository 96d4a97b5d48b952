import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type DatabaseKind, nightlyOnSqlite, sharedDatabase } from './databases.ts';
import { conversations, expectSame, FILTERS, facts, longTalk, QUERIES, toRecord } from './ranking-inputs.ts';
import { recordingClient, type Sent } from './recording-client.ts';

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite'])('PrismaStore on %s', (kind) => {
  const shared = sharedDatabase(kind);
  let run = 0;
  const open = () => new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace: [`${++run}`] });

  it.each([
    ['turns of conversations', conversations],
    ['facts', facts],
  ])('finds what InMemoryStore finds, with the same scores and excerpts, among %s', async (_, inputs) => {
    let [found, excerpts] = [0, 0];
    await fc.assert(
      fc.asyncProperty(inputs, async (generated) => {
        const [memory, store] = [new InMemoryStore({ name: 'memory' }), open()];
        const records = generated.map(toRecord);
        for (const one of [memory, store]) {
          await one.putMany(records);
          await one.delete('3');
        }
        for (const [n, query] of QUERIES.entries()) {
          const options = { maxSearchResults: 1_000, ...FILTERS[n % FILTERS.length] };
          const entries = await store.search(query, options);
          expectSame(entries, await memory.search(query, options), query);
          found += entries.length;
          excerpts += entries.filter(({ excerpt }) => excerpt !== undefined).length;
        }
      }),
      { numRuns: rounds(30, 5) },
    );
    expect(found).toBeGreaterThan(rounds(1_000, 300));
    expect(excerpts).toBeGreaterThan(rounds(100, 10));
  });

  it(
    'finds what InMemoryStore finds in a tree of namespaces, with the same scores and excerpts',
    nightlyOnSqlite(kind),
    async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(conversations, async (generated) => {
          const [memory, store] = [new InMemoryStore({ name: 'memory' }), open()];
          const records = generated.map(toRecord);
          for (const one of [memory, store]) {
            const places = [one, one.within(['a']), one.within(['a', 'b']), one.within(['c'])];
            for (const [n, place] of places.entries()) {
              await place.putMany(records.filter((_, index) => index % places.length === n));
            }
          }
          for (const [n, query] of QUERIES.entries()) {
            const options = { maxSearchResults: 1_000, descendants: true, ...FILTERS[n % FILTERS.length] };
            const entries = await store.search(query, options);
            expectSame(entries, await memory.search(query, options), query);
            found += entries.length;
          }
        }),
        { numRuns: rounds(10, 3) },
      );
      expect(found).toBeGreaterThan(rounds(500, 150));
    },
  );

  it(
    'finds the same as InMemoryStore when ranking considers only a part of a conversation',
    nightlyOnSqlite(kind),
    async () => {
      const [memory, store] = [new InMemoryStore({ name: 'memory' }), open()];
      for (const one of [memory, store]) await one.putMany(longTalk(1_500));
      for (const query of ['tea in the harbour', 'What did you recommend about the guitar?', 'the latest letter']) {
        const [entries, expected] = [await store.search(query), await memory.search(query)];
        expect(entries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        expect(entries).toHaveLength(10);
        expectSame(entries, expected, query);
      }
    },
  );

  it.each([
    ['a month without a year', 'lighthouse in May'],
    ['a day', 'the lighthouse on 8 May 2023'],
    ['a year', 'lighthouse 2021'],
    ['several dates', 'lighthouse in March or on 2022-12-24'],
  ])('finds records from %s among more matches than ranking considers', nightlyOnSqlite(kind), async (_, query) => {
    const [memory, store] = [new InMemoryStore({ name: 'memory' }), open()];
    // By words alone, hundreds of records score as high as the best.
    const records = Array.from({ length: 300 }, (_, n) => ({
      id: `${n}`,
      content: `lighthouse ${'filler '.repeat(n % 2)}`.trim(),
      createdAt: new Date(Date.UTC(2021, 0, 1) + n * 4 * 86_400_000).toISOString(),
      metadata: { even: n % 2 === 0 },
      ...(n % 3 === 0 ? {} : { turn: { thread: 'talk', index: n, speaker: 'Ada' } }),
    }));
    for (const one of [memory, store]) await one.putMany(records);
    for (const options of [{}, { filter: { even: true } }]) {
      const [entries, expected] = [await store.search(query, options), await memory.search(query, options)];
      expect(entries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expectSame(entries, expected, query);
    }
  });

  it('finds the turn that an assistant replied to, even without a word of the query', async () => {
    const store = open();
    const turn = (index: number, speaker: string) => ({ turn: { thread: 'a', index, speaker } });
    await store.putMany([
      { id: 'asked', content: 'Tell me more', ...turn(0, 'user') },
      { id: 'answer', content: 'The lighthouse is old', ...turn(1, 'assistant') },
      { id: 'said', content: 'Fine', ...turn(2, 'Ada') },
      { id: 'other', content: 'Another lighthouse', ...turn(3, 'Ben') },
    ]);
    const ids = (await store.search('lighthouse')).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['answer', 'asked', 'other']);
  });

  it('dates facts by their last change, and turns by when they were said', async () => {
    const store = open();
    const said = { turn: { thread: 'a', index: 0 } };
    const createdAt = '2024-01-01T00:00:00.000Z';
    const explained = async (query: string) => {
      const entries = await store.search(query, { explain: true });
      return Object.fromEntries(entries.map(({ id, explanation }) => [id, explanation?.factors.present]));
    };
    for (const content of ['She lives in Rome', 'She lives in Oslo']) {
      await store.put({ id: 'changed', content, createdAt });
      await store.put({ id: 'turn', content, createdAt, ...said });
    }
    await store.put({ id: 'once', content: 'She lives in Paris', createdAt });
    const factors = await explained('Where does she live now?');
    expect(factors).toEqual({ changed: 1.5, turn: 1, once: 1 });
  });

  it('does not treat roles as names', async () => {
    const store = open();
    await store.putMany([
      { id: 'hers', content: 'authentication', turn: { thread: 'a', index: 0, speaker: 'user' } },
      { id: 'its', content: 'authentication', turn: { thread: 'b', index: 0, speaker: 'assistant' } },
    ]);
    const entries = await store.search('user authentication', { explain: true });
    expect(entries.map(({ explanation }) => explanation?.factors.speaker)).toEqual([1, 1]);
  });

  it('searches for at most 64 words of a query with thousands', nightlyOnSqlite(kind), async () => {
    const sent: Sent[] = [];
    const store = new PrismaStore({ prisma: recordingClient(shared.database.prisma, sent), name: 'memory' });
    const query = String.fromCodePoint(...Array.from({ length: 16_000 }, (_, n) => 0x4e00 + n));
    await store.put({ id: 'x', content: query.slice(0, 200) });
    sent.length = 0;
    await store.search(query);
    const lists = sent.flatMap(({ values }) => values.map(lengthOfList));
    expect(Math.max(...lists)).toBe(64);
    expect(Math.max(...sent.map(({ values }) => values.length))).toBeLessThan(20);
  });
});

/** The length of a list, given as an array or as JSON; 0 for other values. */
function lengthOfList(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' && value.startsWith('[') ? JSON.parse(value).length : 0;
}
