import type { MemoryEntry, RecordInput, RecordStore, SearchOptions } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CREATED, filter, inputOf, QUERIES, toRecord, WORDS, word } from './random-inputs.ts';

/** Every night thousands. */
const COUNT = rounds(3_000, 600);

/** How to open stores with nothing in them. */
export interface RankedStores {
  /** Opens the store under test. `options` are a `language` or an `embedder`. */
  open(options: object): RecordStore;
  /** Opens an `InMemoryStore`. */
  memory(options: object): RecordStore;
  readonly embedder: object;
}

/** Searches of a store, compared with those of an `InMemoryStore` with the same records. */
export function describeSameRanking(name: string, { open, memory, embedder }: RankedStores): void {
  // Sets the clock of the in-memory store to that of the other, so that both use the same times.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const openBoth = (options: object = {}): Stores => {
    const [a, b] = [memory(options), open(options)];
    return { memory: a, store: b, both: [a, b] };
  };

  describe(`${name} finds the same records as InMemoryStore, with the same scores and excerpts`, () => {
    for (const turns of ['none', 'some', 'all'] as const) {
      it(`after any history, in any language, with any filter, if ${turns} of the records are turns`, async () => {
        let found = 0;
        let excerpts = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(fc.array(inputOf(turns), { minLength: 1, maxLength: 15 }), fc.nat({ max: 50 })), {
              minLength: 1,
              maxLength: 8,
            }),
            fc.option(filter, { nil: undefined }),
            fc.constantFrom(1, 3, 10),
            async (batches, filter, maxSearchResults) => {
              const stores = openBoth();
              for (const [inputs, gone] of batches) {
                await putInBoth(stores, inputs.map(toRecord));
                for (const store of stores.both) await store.delete(`record ${gone}`);
              }
              for (const query of QUERIES) {
                const entries = await expectSame(stores, query, { maxSearchResults, ...(filter ? { filter } : {}) });
                found += entries.length;
                excerpts += entries.filter(({ excerpt }) => excerpt !== undefined).length;
              }
            },
          ),
          { numRuns: rounds(25, 6) },
        );
        expect(found).toBeGreaterThan(100);
        expect(excerpts).toBeGreaterThan(5);
      });
    }

    it('with an embedder, after any history and with any filter', async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.array(inputOf('some'), { minLength: 1, maxLength: 15 }), fc.nat({ max: 50 })), {
            minLength: 1,
            maxLength: 8,
          }),
          fc.option(filter, { nil: undefined }),
          fc.constantFrom(1, 3, 10),
          async (batches, filter, maxSearchResults) => {
            const stores = openBoth({ embedder });
            for (const [inputs, gone] of batches) {
              await putInBoth(stores, inputs.map(toRecord));
              for (const store of stores.both) await store.delete(`record ${gone}`);
              for (const query of QUERIES) {
                const options = { maxSearchResults, ...(filter ? { filter } : {}) };
                found += (await expectSame(stores, query, options)).length;
              }
            }
          },
        ),
        { numRuns: rounds(12, 3) },
      );
      expect(found).toBeGreaterThan(100);
    });

    it('if a batch puts a turn again after another one of the same index', async () => {
      const stores = openBoth();
      const turn = { thread: 'b', index: 127 };
      await putInBoth(stores, [
        { id: 'again', content: 'apple', turn: { thread: 'a', index: 0 } },
        { id: 'other', content: 'apple', turn },
        {
          id: 'again',
          content: 'is casa café apple 東京 units lives und May maison perro 3.5 茶 the ночь guitar',
          turn,
        },
        { id: 'third', content: 'apple', turn: { thread: 'a', index: 0 } },
      ]);
      await expectSame(stores, 'When did Ada buy an apple pie?', { maxSearchResults: 1 });
      await expectSame(stores, 'apple');
    });

    it('with one language for all texts, and without stop words and word forms', async () => {
      for (const language of ['none', 'de'] as const) {
        const stores = openBoth({ language });
        await putInBoth(stores, fc.sample(inputOf('some'), { numRuns: 60, seed: 7 }).map(toRecord));
        for (const query of QUERIES) await expectSame(stores, query);
      }
    });

    it('among many records with the same word, after some were deleted', async () => {
      const stores = openBoth();
      const inputs = Array.from({ length: COUNT }, (_, n) => ({
        id: `${n}`,
        content: `tea ${WORDS[n % 13]} ${WORDS[(n * 7) % 11]} ${n % 97}`,
        ...(n % 3 === 0 ? { turn: { thread: `t${n % 4}`, index: n } } : {}),
      }));
      await putInBoth(stores, inputs);
      for (let n = 0; n < COUNT; n += 11) for (const store of stores.both) await store.delete(`${n}`);
      for (const query of ['tea', 'tea 42', 'apple guitar tea', 'the mother of Ben']) {
        for (const maxSearchResults of [1, 10, 100]) await expectSame(stores, query, { maxSearchResults });
      }
    });

    it('in threads of hundreds of turns with gaps, by up to 200 speakers', async () => {
      for (const speakers of [3, 199, 200]) {
        const stores = openBoth();
        const inputs = Array.from({ length: rounds(900, 400) }, (_, n) => ({
          id: `${n}`,
          content: `${WORDS[(n * 5) % 17]} ${WORDS[(n * 11) % 29]} ${n % 10 === 0 ? 'lighthouse?' : 'and so'}`,
          turn: { thread: `t${n % 2}`, index: n + (n > 250 ? 100 : 0), speaker: `Speaker ${n % speakers} Ada` },
          createdAt: new Date(CREATED + n * 60_000).toISOString(),
        }));
        await putInBoth(stores, inputs);
        for (const query of QUERIES) await expectSame(stores, query, { maxSearchResults: 20 });
        await expectSame(stores, 'What did speaker 2 say about the lighthouse?');
      }
    });

    it('for up to 1,000 entries of one long thread', async () => {
      const stores = openBoth();
      const inputs = Array.from({ length: rounds(2_500, 400) }, (_, n) => ({
        id: `${n}`,
        content: `${n % 2 ? 'lighthouse' : 'guitar'} ${n % 50}`,
        turn: { thread: 'one', index: n },
      }));
      await putInBoth(stores, inputs);
      await expectSame(stores, 'lighthouse 7', { maxSearchResults: 1_000 });
    });

    it('in texts of 1 to 600 words that repeat words up to 12 times', async () => {
      const stores = openBoth({ language: 'en' });
      const texts = fc.sample(
        fc.array(fc.tuple(word, fc.constantFrom(1, 1, 2, 3, 4, 5, 6, 7, 12)), { minLength: 1, maxLength: 200 }),
        { numRuns: 150, seed: 3 },
      );
      await putInBoth(
        stores,
        texts.map((words, n) => {
          const repeated = words.slice(0, n % 5 === 0 ? 200 : 6).flatMap(([word, times]) => Array(times).fill(word));
          return { id: `${n}`, content: repeated.join(' ') };
        }),
      );
      for (const query of QUERIES) await expectSame(stores, query, { maxSearchResults: 100 });
    });

    it('whether lengths vary or not', async () => {
      const essay = (n: number) => `The guitar ${n}. ${'Lighthouse keepers write long essays about tea. '.repeat(20)}`;
      for (const [essays, k1] of [
        [0, 'of talk'],
        [2, 'in between'],
        [15, 'of essays'],
      ] as const) {
        const stores = openBoth();
        const inputs = Array.from({ length: 30 }, (_, n) => ({
          id: `${n}`,
          content: n < essays ? essay(n) : `My guitar has ${n} strings${n % 3 === 0 ? ' from the lighthouse' : ''}`,
        }));
        await putInBoth(stores, inputs);
        const before = await expectSame(stores, 'guitar lighthouse', { maxSearchResults: 30 });
        expect(before, k1).toHaveLength(30);
        // Without the essays, lengths vary as little as before.
        for (let n = 0; n < essays; n++) for (const store of stores.both) await store.delete(`${n}`);
        await expectSame(stores, 'guitar lighthouse', { maxSearchResults: 30 });
      }
    });

    it('for a query of hundreds of words, of which both stores use the same 64', async () => {
      const stores = openBoth();
      const words = Array.from({ length: 300 }, (_, n) => `w${'o'.repeat(n % 9)}rd${n}`);
      await putInBoth(
        stores,
        Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: words.slice(3 * n, 3 * n + 3).join(' ') })),
      );
      const found = await expectSame(stores, words.join(' '), { maxSearchResults: 100 });
      expect(found.length).toBeLessThan(65);
    });

    it('for a day or month in the query, also with records that are not among the 60 best by words', async () => {
      const stores = openBoth();
      const date = (n: number) => (n % 80 === 7 ? Date.UTC(2023, 4, 8, 12) : CREATED + n * 60_000);
      const inputs = Array.from({ length: 480 }, (_, n) => ({
        id: `${n}`,
        content: n % 80 === 7 ? `A lighthouse, and a lot of other things that I saw ${n}` : `lighthouse ${n}`,
        createdAt: new Date(date(n)).toISOString(),
        ...(n % 2 ? { turn: { thread: `t${n % 3}`, index: n } } : {}),
      }));
      await putInBoth(stores, inputs);
      for (const query of ['lighthouse on 8 May 2023', 'lighthouse in May', 'the lighthouse on 2023-05-08']) {
        const found = await expectSame(stores, query);
        expect(found.filter(({ id }) => Number(id) % 80 === 7).length, query).toBeGreaterThan(4);
      }
      const others = Array.from({ length: 100 }, (_, n) => ({
        id: `other ${n}`,
        content: 'lighthouse',
        createdAt: '2023-05-08T12:00:00Z',
        metadata: { other: true },
      }));
      await putInBoth(stores, others);
      const found = await expectSame(stores, 'lighthouse on 8 May', { filter: { other: { exists: false } } });
      expect(found.filter(({ id }) => Number(id) % 80 === 7).length).toBeGreaterThan(4);
    });
  });

  describe(`Search in ${name}`, () => {
    it('finds records of the kind that a query names, also if no record is a turn', async () => {
      const stores = openBoth();
      await putInBoth(stores, [
        { id: 'cello', content: 'She plays the cello' },
        { id: 'tea', content: 'She drinks tea' },
      ]);
      expect((await expectSame(stores, 'Which instrument?')).map(({ id }) => id)).toEqual(['cello']);
    });

    it('gives less weight to words that frame a request', async () => {
      const stores = openBoth();
      await putInBoth(stores, [
        { id: 'subject', content: 'My guitar' },
        { id: 'frame', content: 'My summary' },
      ]);
      const found = await expectSame(stores, 'A summary of my guitar');
      expect(found.map(({ id }) => id)).toEqual(['subject', 'frame']);
      expect((found[1]?.explanation?.sum.words ?? 0) / (found[0]?.explanation?.sum.words ?? 1)).toBeCloseTo(0.6);
    });

    it('ranks instructions, questions and texts that speak of a time by their flags, whether they are turns or not', async () => {
      for (const areTurns of [false, true]) {
        const stores = openBoth();
        const contents = ['Always answer in metric units', 'Metric units in May', 'Metric units?', 'Metric units'];
        await putInBoth(
          stores,
          contents.map((content, n) => ({
            id: content,
            content,
            ...(areTurns ? { turn: { thread: `${n}`, index: 0, speaker: 'user' } } : {}),
          })),
        );
        const found = await expectSame(stores, 'When metric units?');
        const factors = new Map(found.map(({ id, explanation }) => [id, explanation?.factors]));
        expect(factors.get(contents[0] as string)).toMatchObject({ instructs: 1.4, when: 1 });
        expect(factors.get(contents[1] as string)).toMatchObject({ instructs: 1, when: 1.3 });
        expect(factors.get(contents[2] as string)).toMatchObject({ asks: areTurns ? 1 : 0.9 });
        expect(factors.get(contents[3] as string)).toMatchObject({ instructs: 1, when: 1, asks: 1 });
        const [first] = await expectSame(stores, 'metric units');
        expect(first).toMatchObject({ id: contents[0], explanation: { factors: { instructs: 2 } } });
      }
    });

    it('dates a fact by its last change and a turn by its creation', async () => {
      const stores = openBoth();
      const createdAt = '2020-05-08T12:00:00.000Z';
      const inputs = [
        { id: 'fact', content: 'She lives in a lighthouse', createdAt },
        { id: 'changed fact', content: 'She lives in a lighthouse', createdAt },
        { id: 'turn', content: 'She lives in a lighthouse', createdAt, turn: { thread: 'a', index: 0 } },
      ];
      await putInBoth(stores, inputs);
      await putInBoth(stores, inputs.slice(1));
      for (const [query, factor] of [
        ['Where did she live on 8 May 2020?', 'time'],
        ['Where does she live now?', 'present'],
      ] as const) {
        const found = await expectSame(stores, query);
        const factors = new Map(found.map(({ id, explanation }) => [id, explanation?.factors[factor]]));
        expect([...factors.keys()].sort(), query).toEqual(['changed fact', 'fact', 'turn']);
        expect([factors.get('fact'), factors.get('turn')], query).toEqual(factor === 'time' ? [3.5, 3.5] : [1, 1]);
        expect(factors.get('changed fact'), query).toBe(factor === 'time' ? 1 : 1.5);
      }
    });

    it('returns the passage of a long record that has words of the query, or words of the same kind', async () => {
      const stores = openBoth();
      const filler = 'It was raining all day long. '.repeat(40);
      await putInBoth(stores, [
        { id: 'own', content: `${filler}The instrument was stolen. ${filler}` },
        { id: 'kind', content: `${filler}Then she bought a cello. ${filler}` },
        { id: 'short', content: 'No instrument is louder.' },
      ]);
      const found = await expectSame(stores, 'Which instrument?');
      const excerpts = new Map(found.map(({ id, excerpt }) => [id, excerpt?.text]));
      expect(excerpts.get('own')).toContain('stolen');
      expect(excerpts.get('kind')).toContain('cello');
      expect([...excerpts.keys()].sort()).toEqual(['kind', 'own', 'short']);
      expect(excerpts.get('short')).toBeUndefined();
    });

    it('finds what the assistant replied to if the reply has a word of the query', async () => {
      const stores = openBoth();
      await putInBoth(stores, [
        { id: 'other', content: 'Good morning', turn: { thread: 'a', index: 125, speaker: 'user' } },
        { id: 'asked', content: 'Something for my trip', turn: { thread: 'a', index: 127, speaker: 'user' } },
        { id: 'reply', content: 'Take the lighthouse tour', turn: { thread: 'a', index: 128, speaker: 'assistant' } },
        { id: 'friend', content: 'Hello Ben', turn: { thread: 'b', index: 1, speaker: 'Ada' } },
        { id: 'answer', content: 'I was at the lighthouse', turn: { thread: 'b', index: 2, speaker: 'Ben' } },
      ]);
      const found = await expectSame(stores, 'lighthouse');
      expect(found.map(({ id }) => id).sort()).toEqual(['answer', 'asked', 'reply']);
      const filtered = await expectSame(stores, 'lighthouse', { filter: { createdAt: { exists: false } } });
      expect(filtered).toEqual([]);
    });

    it('finds the answer to a question that has a word of the query', async () => {
      const stores = openBoth();
      await putInBoth(stores, [
        { id: 'question', content: 'Where is the lighthouse?', turn: { thread: 'a', index: 127, speaker: 'Ada' } },
        { id: 'answer', content: 'In Cornwall', turn: { thread: 'a', index: 128, speaker: 'Ben' } },
        { id: 'next', content: 'Thank you', turn: { thread: 'a', index: 129, speaker: 'Ada' } },
      ]);
      expect((await expectSame(stores, 'lighthouse')).map(({ id }) => id).sort()).toEqual(['answer', 'question']);
    });

    it('does not treat "user" and "assistant" as names', async () => {
      const stores = openBoth();
      await putInBoth(stores, [
        { id: 'a', content: 'user authentication', turn: { thread: 'a', index: 0, speaker: 'assistant' } },
        { id: 'b', content: 'authentication of a user', turn: { thread: 'b', index: 0, speaker: 'user' } },
        { id: 'c', content: 'authentication for Ada', turn: { thread: 'c', index: 0, speaker: 'Ada' } },
      ]);
      for (const { explanation } of await expectSame(stores, 'user authentication')) {
        expect(explanation?.factors.speaker).toBe(1);
      }
      expect((await expectSame(stores, 'Ada authentication'))[0]?.explanation?.factors.speaker).toBe(1.8);
    });

    it('approximates the score of a word if a text repeats its forms in several languages 3 to 5 times', async () => {
      const stores = openBoth();
      const words = fc.sample(fc.array(word, { minLength: 40, maxLength: 300 }), { numRuns: 200, seed: 3 });
      await putInBoth(
        stores,
        words.map((list, n) => ({ id: `${n}`, content: list.join(' ') })),
      );
      for (const query of QUERIES) {
        const options = { maxSearchResults: 200 };
        const expected = new Map((await stores.memory.search(query, options)).map(({ id, score }) => [id, score]));
        const found = await stores.store.search(query, options);
        expect(found).toHaveLength(expected.size);
        for (const { id, score = 0 } of found) expect(score / (expected.get(id) ?? 0)).toBeCloseTo(1, 1);
      }
    });

    it('filters by metadata of records of any length', async () => {
      const stores = openBoth();
      const inputs = [10, 3_000, 100_000].flatMap((length) =>
        [10, 1_900, 3_000, 60_000].map((size) => ({
          id: `${length} ${size}`,
          content: `lighthouse ${'x'.repeat(length)}`,
          metadata: { note: 'y'.repeat(size), size, length },
        })),
      );
      await putInBoth(stores, inputs);
      for (const size of [10, 1_900, 3_000, 60_000]) {
        expect(await expectSame(stores, 'lighthouse', { filter: { size } })).toHaveLength(3);
        const { items } = await stores.store.list({ filter: { size } });
        expect(items.map(({ content, metadata }) => [content.length - 11, (metadata.note as string).length])).toEqual(
          [100_000, 3_000, 10].map((length) => [length, size]),
        );
      }
    });
  });
}

interface Stores {
  readonly memory: RecordStore;
  readonly store: RecordStore;
  readonly both: readonly RecordStore[];
}

async function putInBoth({ memory, store }: Stores, inputs: readonly RecordInput[]): Promise<void> {
  const [first] = await store.putMany(inputs);
  if (first !== undefined) vi.setSystemTime(first.updatedAt);
  await memory.putMany(inputs);
}

/** The same numbers added in another order differ in the last digits. */
const about = (value: number): unknown => expect.closeTo(value, 7);
const exactly = (value: number): unknown => value;

/** What to compare of an entry, or what to compare with it if `number` is `about`. */
function comparable({ id, score, explanation, content, turn, excerpt }: MemoryEntry, number: typeof about) {
  const fields = (values: Readonly<Record<string, number>> = {}) => {
    const shown = Object.entries(values).filter(([, value]) => value !== 0);
    return Object.fromEntries(shown.map(([name, value]) => [name, number(value)]));
  };
  const { sum, factors } = explanation ?? {};
  return { id, content, turn, excerpt, score: number(score ?? 0), sum: fields(sum), factors: fields(factors) };
}

/**
 * Expects the same scores in the same order, and each entry to be the same in both stores. Entries with equal scores may be in
 * another order: one store orders them by their last put, the other by their creation.
 */
async function expectSame(
  { memory, store }: Stores,
  query: string,
  options: SearchOptions = {},
): Promise<MemoryEntry[]> {
  const found = await store.search(query, { explain: true, ...options });
  const expected = await memory.search(query, { explain: true, ...options });
  const name = JSON.stringify([query, options]);
  expect(
    found.map(({ score }) => score ?? 0),
    name,
  ).toEqual(expected.map(({ score }) => about(score ?? 0)));
  const all = await memory.search(query, { explain: true, ...options, maxSearchResults: 10_000 });
  const byId = new Map(all.map((entry) => [entry.id, comparable(entry, about)]));
  for (const entry of found) expect(comparable(entry, exactly), name).toEqual(byId.get(entry.id));
  return found;
}
