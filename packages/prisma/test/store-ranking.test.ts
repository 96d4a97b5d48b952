import type { Embedder, MemoryEntry, RecordInput, SearchOptions } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrismaStore, type PrismaStoreOptions } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { recordingClient, type Sent } from './recording-client.ts';

const WORDS = [
  ...['apple', 'pie', 'bought', 'guitar', 'mother', 'yesterday', 'Ada', 'Ben', 'lighthouse', 'the', 'May', '2024'],
  ...['Haus', 'gekauft', 'und', 'maison', 'jardin', 'les', 'casa', '茶', '東京', 'ночь', '커피', 'café', "don't", '🍵'],
  ...['live', 'lives', 'recommend', 'user', 'metric', 'list'],
];
const OPENINGS = ['', '', '', 'Always answer in metric units. ', "Please don't ever buy a guitar. ", 'In future: '];
const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'Wer hat das Haus gekauft?',
  'les maisons du jardin',
  '東京 茶',
  'ночь',
  'What did you recommend?',
  'Where does she live now?',
  'Which user likes the lighthouse?',
  'List the guitars in metric units',
];
const FILTERS: readonly SearchOptions[] = [
  {},
  { filter: { topic: 'tea' } },
  { filter: { createdAt: { gte: '2024-01-03' } } },
];

/** A word, one to ten times. */
const spoken = fc.record({
  word: fc.constantFrom(...WORDS),
  times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 10 }) }),
  ends: fc.constantFrom(' ', ' ', ' ', '. '),
});
const input = fc.record({
  opening: fc.constantFrom(...OPENINGS),
  // Some are essays, so that lengths vary and excerpts are cut.
  words: fc.oneof(
    { weight: 7, arbitrary: fc.array(spoken, { minLength: 1, maxLength: 14 }) },
    { weight: 1, arbitrary: fc.array(spoken, { minLength: 60, maxLength: 160 }) },
  ),
  asks: fc.boolean(),
  hours: fc.nat({ max: 200 }),
  topic: fc.constantFrom('tea', 'Tea', null),
  isIndexed: fc.constantFrom(true, true, true, false),
  turn: fc.option(
    fc.record(
      {
        thread: fc.constantFrom('a', 'b'),
        index: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(60, 5_000, 2 ** 40)),
        speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', 'Will', 'user', 'user', 'assistant', 'assistant'),
      },
      { requiredKeys: ['thread', 'index'] },
    ),
    { nil: undefined, freq: 4 },
  ),
});
const conversations = fc.array(input, { minLength: 15, maxLength: 60 });
const facts = conversations.map((inputs) => inputs.map((one) => ({ ...one, turn: undefined })));

type Generated = typeof input extends fc.Arbitrary<infer T> ? T : never;

function toRecord(one: Generated, n: number): RecordInput {
  const said = one.words.map(({ word, times, ends }) => `${word} `.repeat(times).trimEnd() + ends).join('');
  return {
    id: `${n}`,
    content: `${one.opening}${said.trim()}${one.asks ? '?' : ''}`,
    metadata: { topic: one.topic },
    index: one.isIndexed,
    createdAt: new Date(Date.UTC(2024, 0, 1) + one.hours * 3_600_000).toISOString(),
    ...(one.turn === undefined ? {} : { turn: one.turn }),
  };
}

/** A long conversation between a user and an assistant. Each turn is about one of many subjects. */
function longTalk(turns: number): RecordInput[] {
  const subjects = 'tea milk harbour boat paint guitar lighthouse apple garden letter window'.split(' ');
  return Array.from({ length: turns }, (_, n) => {
    const own = (n * 7_919) % 101;
    const about = own < subjects.length ? `${subjects[own]} `.repeat(1 + (n % 3)) : '';
    return {
      id: `${n}`,
      content: `${about}turn${n} ${'filler '.repeat((n * 31) % 23)}${n % 4 === 0 ? '?' : ''}`,
      turn: { thread: 'talk', index: n, speaker: n % 2 === 0 ? 'user' : 'assistant' },
    };
  });
}

const byId = (entries: readonly MemoryEntry[]) => entries.toSorted((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1));

/**
 * Expects the same entries with the same scores, except for the last digits, because sums in another order differ there.
 * Entries with equal scores come newest first, and the records of a batch are equally new.
 */
function expectSame(entries: readonly MemoryEntry[], expected: readonly MemoryEntry[], query: string): void {
  const comparable = ({ id, content, excerpt }: MemoryEntry) => ({ id, content, excerpt });
  expect(byId(entries).map(comparable), query).toEqual(byId(expected).map(comparable));
  expectScores(entries, expected, 1e-9, query);
}

/** Expects the same scores. A missing entry counts as score 0. `error` is relative to the highest score. */
function expectScores(
  entries: readonly MemoryEntry[],
  expected: readonly MemoryEntry[],
  error: number,
  query: string,
): void {
  const scores = new Map(entries.map(({ id, score }) => [id, score ?? 0]));
  const wanted = new Map(expected.map(({ id, score }) => [id, score ?? 0]));
  const highest = Math.max(...wanted.values(), 0);
  for (const id of new Set([...scores.keys(), ...wanted.keys()])) {
    const difference = Math.abs((scores.get(id) ?? 0) - (wanted.get(id) ?? 0));
    expect(difference, `${query}: ${id}`).toBeLessThanOrEqual(error * highest);
  }
}

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

  it('finds what InMemoryStore finds in a tree of namespaces, with the same scores and excerpts', async () => {
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
  });

  it('finds the same as InMemoryStore when ranking considers only a part of a conversation', async () => {
    const [memory, store] = [new InMemoryStore({ name: 'memory' }), open()];
    for (const one of [memory, store]) await one.putMany(longTalk(1_500));
    for (const query of ['tea in the harbour', 'What did you recommend about the guitar?', 'the latest letter']) {
      const [entries, expected] = [await store.search(query), await memory.search(query)];
      expect(entries.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(entries).toHaveLength(10);
      expectSame(entries, expected, query);
    }
  });

  it.each([
    ['a month without a year', 'lighthouse in May'],
    ['a day', 'the lighthouse on 8 May 2023'],
    ['a year', 'lighthouse 2021'],
    ['several dates', 'lighthouse in March or on 2022-12-24'],
  ])('finds records from %s among more matches than ranking considers', async (_, query) => {
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

  it('searches for at most 64 words of a query with thousands', async () => {
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

describe('PrismaStore with an embedder', () => {
  const shared = sharedDatabase('PGlite');
  let run = 0;
  const open = (own: Partial<PrismaStoreOptions> = {}) =>
    new PrismaStore({
      prisma: shared.database.prisma,
      name: 'memory',
      namespace: [`${++run}`],
      embedder: fakeEmbedder,
      ...own,
    });
  const inMemory = (embedder = fakeEmbedder) => new InMemoryStore({ name: 'memory', embedder });

  it('finds the same as InMemoryStore, with the same scores', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(conversations, async (generated) => {
        const [memory, store] = [inMemory(), open()];
        const records = generated.map(toRecord);
        for (const one of [memory, store]) {
          await one.putMany(records);
          await one.delete('3');
        }
        for (const [n, query] of [...QUERIES, '?!'].entries()) {
          const options = { maxSearchResults: 1_000, ...FILTERS[n % FILTERS.length] };
          const entries = await store.search(query, options);
          // pgvector calculates with 32 bits.
          expectScores(entries, await memory.search(query, options), 1e-5, query);
          found += entries.length;
        }
      }),
      { numRuns: rounds(10, 3) },
    );
    expect(found).toBeGreaterThan(rounds(1_000, 300));
  });

  it('finds the same as InMemoryStore when ranking considers only a part of a conversation', async () => {
    const [memory, store] = [inMemory(), open()];
    for (const one of [memory, store]) await one.putMany(longTalk(1_500));
    for (const query of ['tea in the harbour', 'What did you recommend about the guitar?', 'nothing like it']) {
      const [entries, expected] = [await store.search(query), await memory.search(query)];
      expect(entries).toHaveLength(10);
      expectScores(entries, expected, 1e-5, query);
    }
  });

  it('ranks by meaning and words, and explains both', async () => {
    const store = open();
    await store.putMany(['tea', 'green paint', 'boats', 'windows'].map((content) => ({ id: content, content })));
    const [first] = await store.search('tea', { explain: true });
    expect(first).toMatchObject({ id: 'tea', explanation: { sum: { words: expect.any(Number) } } });
    expect(first?.explanation?.sum.meaning).toBeGreaterThan(0);
    // Found by meaning only.
    expect((await store.search('aet')).map(({ id }) => id)).toEqual(['tea', 'green paint', 'boats', 'windows']);
  });

  it('uses the mean of all vectors in the namespace, not only of those that pass the filter', async () => {
    const [memory, store] = [inMemory(), open()];
    const contents = ['tea', 'teas', 'eat', 'boat', 'paint', 'windows', 'gulf', 'fjord'];
    for (const one of [memory, store]) {
      await one.putMany(contents.map((content, n) => ({ id: content, content, metadata: { even: n % 2 === 0 } })));
    }
    const options = { filter: { even: true } };
    const [entries, expected] = [await store.search('aet', options), await memory.search('aet', options)];
    expect(expected.length).toBeGreaterThan(1);
    expectScores(entries, expected, 1e-5, 'aet');
  });

  it('finds by meaning what passes the filter, however many other records are nearer', async () => {
    const store = open();
    const near = Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'tea', metadata: { near: true } }));
    await store.putMany([...near, { id: 'far', content: 'zebra', metadata: { near: false } }]);
    const entries = await store.search('aet', { filter: { near: false } });
    expect(entries.map(({ id }) => id)).toEqual(['far']);
  });

  it('treats a zero vector as unrelated to any query', async () => {
    const embedder: Embedder = {
      ...fakeEmbedder,
      async embed(texts, options) {
        const vectors = await fakeEmbedder.embed(texts, options);
        return vectors.map((vector, n) => (texts[n] === 'nothing' ? vector.map(() => 0) : vector));
      },
    };
    const [memory, store] = [inMemory(embedder), open({ embedder })];
    for (const one of [memory, store]) {
      await one.putMany(['tea', 'nothing', 'boats', 'windows'].map((content) => ({ id: content, content })));
    }
    for (const query of ['aet', 'nothing']) {
      const [entries, expected] = [await store.search(query), await memory.search(query)];
      expect(expected).toHaveLength(4);
      expectScores(entries, expected, 1e-5, query);
    }
  });

  it('prefers the newest of equally near records', async () => {
    const store = open();
    // More than ranking considers.
    await store.putMany(Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'tea' })));
    await store.putMany(['zebra', 'fjord', 'gulf'].map((content) => ({ id: content, content })));
    const ids = (await store.search('aet', { maxSearchResults: 3 })).map(({ id }) => id);
    expect(ids).toEqual(['99', '98', '97']);
  });

  it('ranks a record without a vector by its words only', async () => {
    const { prisma } = shared.database;
    const plain = new PrismaStore({ prisma, name: 'memory', namespace: ['mixed'] });
    const other = open({ namespace: ['mixed'], embedder: { ...fakeEmbedder, id: 'other' } });
    const store = open({ namespace: ['mixed'] });
    await plain.put({ id: 'plain', content: 'old tea' });
    await other.put({ id: 'other', content: 'tea' });
    await store.putMany(['aet', 'boats', 'windows'].map((content) => ({ id: content, content })));
    const entries = await store.search('tea', { explain: true });
    const meaning = Object.fromEntries(entries.map(({ id, explanation }) => [id, explanation?.sum.meaning]));
    const some = expect.any(Number);
    expect(meaning).toEqual({ aet: some, boats: some, windows: some, plain: 0, other: 0 });
  });

  it('does not find a turn without a vector by meaning', async () => {
    const { prisma } = shared.database;
    const at = (index: number) => ({ turn: { thread: 'a', index } });
    const plain = new PrismaStore({ prisma, name: 'memory', namespace: ['beside'] });
    await plain.put({ id: 'beside', content: 'aet', ...at(1) });
    const store = open({ namespace: ['beside'] });
    await store.put({ id: 'found', content: 'aet', ...at(0) });
    await store.put({ id: 'other', content: 'windows' });
    expect((await store.search('tea')).map(({ id }) => id)).toEqual(['found', 'other']);
  });
});

/** The length of a list, given as an array or as JSON; 0 for other values. */
function lengthOfList(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' && value.startsWith('[') ? JSON.parse(value).length : 0;
}
