import assert from 'node:assert/strict';
import { foundIds, heldIds, type RecordStoreCase, type RecordStoreCases } from './helpers.ts';
import { AROUND_HERON, EVERYTHING, HOSTILE_QUERIES } from './hostile.ts';

function lexical(one: RecordStoreCase): RecordStoreCase {
  return { ...one, when: ({ search }) => search === 'lexical' };
}

export const literalSearch: RecordStoreCases = {
  concern: 'Search text is literal',
  cases: [
    {
      title: 'no search text causes an error or changes stored data',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.putMany(['one', 'two'].map((id) => ({ id, content: 'The heron waits by the river' })));
        const before = await store.get('one');
        for (const query of HOSTILE_QUERIES) assert.ok(Array.isArray(await store.search(query)), query);
        assert.deepEqual(await store.get('one'), before);
        assert.deepEqual(await heldIds(store, capabilities), ['one', 'two']);
      },
    },
    {
      title: 'no search text leads out of the namespace',
      async run(harness) {
        const store = harness.open({ namespace: ['here'] });
        await store.put({ id: 'mine', content: 'The heron waits by the river' });
        for (const namespace of [[], ['there'], ['here', 'below'], ['her*']]) {
          await harness.open({ namespace }).put({ id: 'theirs', content: 'The heron waits by the river' });
        }
        for (const query of [...HOSTILE_QUERIES, ...AROUND_HERON, ...EVERYTHING]) {
          assert.ok(!(await foundIds(store, query)).includes('theirs'), query);
        }
      },
    },
    lexical({
      title: 'special characters and operators around a word are not commands: the word is still found',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'The heron waits by the river' });
        for (const query of AROUND_HERON) assert.deepEqual(await foundIds(store, query), ['one'], query);
      },
    }),
    lexical({
      title: 'a pattern or a condition that would match everything finds nothing',
      async run(harness) {
        const store = harness.open();
        await store.putMany(['one', 'two'].map((id) => ({ id, content: 'The heron waits by the river' })));
        for (const query of EVERYTHING) assert.deepEqual(await foundIds(store, query), [], query);
      },
    }),
    lexical({
      title: 'a wildcard after a word finds nothing more than the word',
      async run(harness) {
        const store = harness.open();
        await store.putMany(
          ['zeppelin', 'zeppelins', 'zephyr', 'zepp', 'heron'].map((word) => ({ id: word, content: `A ${word} here` })),
        );
        const pairs = [
          ['zepp*', 'zepp'],
          ['zepp:*', 'zepp'],
          ['zepp%', 'zepp'],
          ['zepp.*', 'zepp'],
          ['zepp?', 'zepp'],
          ['*eron', 'eron'],
          ['h*n', 'h n'],
        ] as const;
        for (const [pattern, word] of pairs) {
          assert.deepEqual((await foundIds(store, pattern)).sort(), (await foundIds(store, word)).sort(), pattern);
        }
      },
    }),
    {
      title: 'a query of 20,000 characters works like any other',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'The heron waits by the river' });
        const query = `heron ${'river meadow '.repeat(1_600)}`;
        assert.deepEqual(await foundIds(store, query), ['one']);
      },
    },
    {
      title: 'content that looks like a query is found like any other',
      async run(harness) {
        const store = harness.open();
        const contents = ["'; DROP TABLE herons; --", 'NOT storks OR "cranes*', '{"$ne": "bitterns"}', '% egrets _'];
        for (const content of contents) await store.put({ id: content, content });
        for (const [index, word] of ['herons', 'storks', 'bitterns', 'egrets'].entries()) {
          assert.equal((await foundIds(store, word))[0], contents[index]);
        }
      },
    },
  ],
};
