import assert from 'node:assert/strict';
import type { MemoryEntry } from '@keepsake/core';
import { foundIds, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

const birds = [
  { id: 'heron', content: 'The heron waits by the river' },
  { id: 'tax', content: 'Income tax is due in April' },
  { id: 'bread', content: 'Sourdough bread wants a hot oven' },
  { id: 'both', content: 'Herons and storks share the river meadow' },
];

const badCounts: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null];

export const searching: RecordStoreCases = {
  concern: 'Searching',
  cases: [
    {
      title: 'search of an empty store finds nothing',
      async run(harness) {
        assert.deepEqual(await harness.open().search('heron'), []);
      },
    },
    {
      title: 'search finds a record by its words, for every instance',
      async run(harness) {
        await harness.open().putMany(birds);
        for (const store of [harness.open(), harness.open()]) {
          assert.equal((await foundIds(store, 'sourdough bread'))[0], 'bread');
          assert.equal((await foundIds(store, 'income tax'))[0], 'tax');
        }
      },
    },
    {
      title: 'search returns the best entry first, with non-increasing scores',
      async run(harness) {
        const store = harness.open();
        await store.putMany(birds);
        const entries = await store.search('The heron waits by the river');
        assert.equal(entries[0]?.id, 'heron');
        const scores = entries.map(({ score }) => score ?? Number.NaN);
        assert.ok(scores.every(Number.isFinite), 'Every entry has a score');
        assert.deepEqual(
          scores,
          scores.toSorted((a, b) => b - a),
        );
      },
    },
    {
      title: 'an entry has all fields of its record',
      async run(harness) {
        const store = harness.open({ name: 'birds' });
        const turn = { thread: 'talk', index: 2, speaker: 'Ada' };
        const source = { conversation: 'talk', kind: 'utterance' } as const;
        const record = await store.put({ id: 'one', content: 'heron', metadata: { a: ['b'] }, turn, source });
        const entry = (await store.search('heron'))[0] as MemoryEntry;
        assert.deepEqual(
          {
            id: entry.id,
            content: entry.content,
            metadata: entry.metadata,
            createdAt: entry.createdAt,
            updatedAt: entry.updatedAt,
            turn: entry.turn,
            source: entry.source,
          },
          {
            id: 'one',
            content: 'heron',
            metadata: { a: ['b'] },
            createdAt: record.createdAt,
            updatedAt: record.updatedAt,
            turn,
            source,
          },
        );
        assert.ok(
          entry.storeName === undefined || entry.storeName === 'birds',
          'storeName must be the name of the store',
        );
      },
    },
    {
      title: 'of entries with equal scores, the newest comes first',
      async run(harness) {
        const store = harness.open();
        const ids = ['c', 'a', 'e', 'b', 'd'];
        for (const id of ids) await store.put({ id, content: 'The heron waits' });
        assert.deepEqual(await foundIds(store, 'heron'), ids.toReversed());
        assert.deepEqual(await foundIds(store, 'heron', { maxSearchResults: 2 }), ['d', 'b']);
      },
    },
    {
      title: 'of entries of one batch with equal scores, the last comes first',
      async run(harness) {
        const store = harness.open();
        const ids = ['c', 'a', 'd', 'b'];
        await store.putMany(ids.map((id) => ({ id, content: 'The heron waits' })));
        assert.deepEqual(await foundIds(store, 'heron'), ids.toReversed());
      },
    },
    {
      title: 'a blank query finds nothing',
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        for (const query of ['', ' ', ' \n\t\r', '\u00a0\u3000']) assert.deepEqual(await store.search(query), []);
      },
    },
    {
      title: 'search returns 10 entries by default',
      async run(harness) {
        const store = harness.open();
        await store.putMany(range(12).map((number) => ({ id: `record ${number}`, content: 'heron' })));
        assert.equal((await store.search('heron')).length, 10);
      },
    },
    {
      title: "search returns as many entries as the call asks for, else the store's limit",
      async run(harness) {
        const store = harness.open({ maxSearchResults: 3 });
        await store.putMany(range(12).map((number) => ({ id: `record ${number}`, content: 'heron' })));
        assert.equal((await store.search('heron')).length, 3);
        assert.equal((await store.search('heron', { maxSearchResults: 1 })).length, 1);
        assert.equal((await store.search('heron', { maxSearchResults: 11 })).length, 11);
        assert.equal((await store.search('heron', { maxSearchResults: 100 })).length, 12);
      },
    },
    {
      title: 'a limit that is not a whole number ≥ 1 is refused',
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        for (const maxSearchResults of badCounts as readonly number[]) {
          await refuses('INVALID_ARGUMENT', () => store.search(`heron ${SECRET}`, { maxSearchResults }));
        }
      },
    },
    {
      title: 'minScore leaves out entries with a lower score',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'best', content: 'heron river meadow' });
        await store.put({ id: 'less', content: 'heron bread oven' });
        const query = 'heron river meadow';
        const scores = (await store.search(query)).map(({ score }) => score ?? Number.NaN);
        const [best, less] = [scores[0] ?? Number.NaN, scores[1] ?? Number.NaN];
        assert.ok(best > less, 'The entry with all words must have a higher score');
        assert.deepEqual(await foundIds(store, query, { minScore: (best + less) / 2 }), ['best']);
        assert.deepEqual(await foundIds(store, query, { minScore: less - (best - less) / 2 }), ['best', 'less']);
        assert.deepEqual(await foundIds(store, query, { minScore: best + (best - less) }), []);
      },
    },
    {
      title: 'an entry explains its score only on request',
      async run(harness) {
        const store = harness.open();
        await store.putMany(birds);
        for (const options of [undefined, {}, { explain: false }]) {
          for (const entry of await store.search('heron river', options)) assert.equal(entry.explanation, undefined);
        }
      },
    },
    {
      title: 'explain does not change scores, and explanations add up to the score',
      async run(harness) {
        const store = harness.open();
        await store.putMany(
          birds.map((bird, index) => ({ ...bird, turn: { thread: 'birds', index, speaker: 'Ada' } })),
        );
        const query = 'When did Ada speak of a heron by the river?';
        const explained = await store.search(query, { explain: true });
        assert.deepEqual(
          explained.map(({ id, score }) => ({ id, score })),
          (await store.search(query)).map(({ id, score }) => ({ id, score })),
        );
        for (const { score = Number.NaN, explanation } of explained) {
          if (explanation === undefined) continue;
          const sum = Object.values(explanation.sum).reduce((total, part) => total + part, 0);
          const total = Object.values(explanation.factors).reduce((product, factor) => product * factor, sum);
          assert.ok(
            Math.abs(total - score) <= 1e-9 * Math.abs(score),
            `The explanation adds up to ${total}, but the score is ${score}`,
          );
        }
      },
    },
    {
      title: 'a minScore that is not a finite number is refused',
      async run(harness) {
        const store = harness.open();
        await store.put({ content: 'heron' });
        for (const minScore of [Number.NaN, Number.NEGATIVE_INFINITY, '0', null] as unknown as number[]) {
          await refuses('INVALID_ARGUMENT', () => store.search(`heron ${SECRET}`, { minScore }));
        }
      },
    },
    {
      title: 'a record with index false is never found',
      async run(harness) {
        const store = harness.open();
        await store.putMany([
          { id: 'hidden', content: 'The heron waits', index: false },
          { id: 'seen', content: 'The heron waits', index: true },
        ]);
        assert.deepEqual(await foundIds(store, 'heron'), ['seen']);
        assert.ok(await store.get('hidden'));
      },
    },
    {
      title: 'a replacement takes a record out of search, and puts it back',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron' });
        await store.put({ id: 'one', content: 'heron', index: false });
        assert.deepEqual(await foundIds(store, 'heron'), []);
        await store.put({ id: 'one', content: 'heron' });
        assert.deepEqual(await foundIds(store, 'heron'), ['one']);
      },
    },
    {
      title: 'search after a replacement returns the new text, once',
      async run(harness) {
        const [writer, reader] = [harness.open(), harness.open()];
        await writer.put({ id: 'one', content: 'The heron waits', metadata: { old: true } });
        assert.deepEqual(await foundIds(reader, 'heron'), ['one']);
        await writer.put({ id: 'one', content: 'Sourdough bread', metadata: { old: false } });
        for (const store of [writer, reader]) {
          const entries = await store.search('sourdough bread');
          assert.deepEqual(
            entries.map(({ content, metadata }) => [content, metadata]),
            [['Sourdough bread', { old: false }]],
          );
        }
      },
    },
    {
      title: 'search after a replacement finds nothing by the old words',
      when: ({ search }) => search === 'lexical',
      async run(harness) {
        const [writer, reader] = [harness.open(), harness.open()];
        await writer.put({ id: 'one', content: 'The heron waits' });
        assert.deepEqual(await foundIds(reader, 'heron'), ['one']);
        await writer.put({ id: 'one', content: 'Sourdough bread' });
        for (const store of [writer, reader]) assert.deepEqual(await foundIds(store, 'heron'), []);
      },
    },
    {
      title: 'lexical search finds only records that share a word',
      when: ({ search }) => search === 'lexical',
      async run(harness) {
        const store = harness.open();
        await store.putMany(birds);
        assert.deepEqual(await foundIds(store, 'zeppelin'), []);
        assert.deepEqual(await foundIds(store, 'sourdough'), ['bread']);
      },
    },
  ],
};
