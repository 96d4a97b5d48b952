import assert from 'node:assert/strict';
import { range, refuses, SECRET } from '../record-store/helpers.ts';
import { AROUND_HERON, EVERYTHING, HOSTILE_QUERIES } from '../record-store/hostile.ts';
import { foundTexts, type MemoryStoreCases } from './harness.ts';

const HERON = 'The heron waits by the hot river';
const BREAD = 'Sourdough bread wants a hot oven';
const TAX = 'Income tax is due in April';

const badCounts: readonly unknown[] = [0, -1, 1.5, Number.NaN, '5'];

export const searching: MemoryStoreCases = {
  concern: 'Searching',
  cases: [
    {
      title: 'search of an empty store finds nothing',
      async run(harness) {
        assert.deepEqual(await harness.open().search('heron'), []);
      },
    },
    {
      title: 'search finds stored entries, best first, in every instance',
      async run(harness) {
        await harness.fill([TAX, HERON, BREAD]);
        for (const store of [harness.open(), harness.open()]) {
          for (const text of [HERON, BREAD, TAX]) assert.equal((await foundTexts(store, text))[0], text);
        }
      },
    },
    {
      title: 'scores, if any, never increase from one entry to the next',
      async run(harness) {
        await harness.fill([TAX, HERON, BREAD, 'A heron, a hot oven and a river']);
        const scores = (await harness.open().search('heron river oven')).flatMap(({ score }) => score ?? []);
        assert.ok(scores.every(Number.isFinite), 'A score is a finite number');
        assert.deepEqual(
          scores,
          scores.toSorted((a, b) => b - a),
        );
      },
    },
    {
      title: 'a blank query finds nothing',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const query of ['', ' ', '\n\t', '\u3000']) assert.deepEqual(await store.search(query), []);
      },
    },
    {
      title: "search returns as many entries as the call asks for, else the store's limit, else 10",
      async run(harness) {
        await harness.fill(range(12).map((number) => `The heron number ${number}`));
        assert.equal((await harness.open().search('heron')).length, 10);
        const store = harness.open({ maxSearchResults: 3 });
        assert.equal((await store.search('heron')).length, 3);
        assert.equal((await store.search('heron', { maxSearchResults: 5 })).length, 5);
      },
    },
    {
      title: 'a limit that is not a whole number ≥ 1 is refused',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const maxSearchResults of badCounts as readonly number[]) {
          await refuses('INVALID_ARGUMENT', () => store.search(`heron ${SECRET}`, { maxSearchResults }));
        }
      },
    },
    {
      title: 'no search text causes an error or changes stored data',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const query of HOSTILE_QUERIES) assert.ok(Array.isArray(await store.search(query)), query);
        assert.deepEqual(await foundTexts(store, 'heron'), [HERON]);
      },
    },
    {
      title: 'special characters and operators around a word are not commands: the word is still found',
      when: ({ search }) => search === 'lexical',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const query of AROUND_HERON) assert.deepEqual(await foundTexts(store, query), [HERON], query);
      },
    },
    {
      title: 'a pattern or a condition that would match everything finds nothing',
      when: ({ search }) => search === 'lexical',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const query of EVERYTHING) assert.deepEqual(await foundTexts(store, query), [], query);
      },
    },
    {
      title: 'a search with an aborted signal rejects',
      async run(harness) {
        await harness.fill([HERON]);
        const signal = AbortSignal.abort();
        await refuses('ABORTED', () => harness.open().search(`heron ${SECRET}`, { signal }));
      },
    },
    {
      title: 'changing a search result changes nothing stored',
      async run(harness) {
        await harness.fill([HERON]);
        const store = harness.open();
        for (const entry of await store.search('heron')) {
          try {
            entry.content = 'spoilt';
            Object.assign(entry.metadata ?? {}, { spoilt: true });
          } catch {
            // Frozen, which also protects it.
          }
        }
        const [again] = await store.search('heron');
        assert.equal(again?.content, HERON);
        assert.equal(again?.metadata?.spoilt, undefined);
      },
    },
    {
      title: 'a store without filters refuses a filter instead of ignoring it',
      when: ({ filter }) => !filter,
      async run(harness) {
        await harness.fill([HERON]);
        await refuses('UNSUPPORTED', () => harness.open().search('heron', { filter: { user: SECRET } }));
      },
    },
  ],
};
