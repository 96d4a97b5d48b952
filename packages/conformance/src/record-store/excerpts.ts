import assert from 'node:assert/strict';
import type { MemoryEntry, RecordStore } from '@keepsake/core';
import type { RecordStoreCases } from './helpers.ts';

const filler = (count: number) => 'The meadow is quiet and nothing happens there at all. '.repeat(count);
const ANSWER = 'The heron nests in the old willow.';
/** More distinct words than any question has. */
const MANY_WORDS = Array.from({ length: 1_500 }, (_, number) => `word${number.toString(36)}x`).join(' ');

/** The only entry that a search finds. Asserts that its excerpt is a part of its content. */
async function findOne(store: RecordStore, query: string): Promise<MemoryEntry> {
  const entries = await store.search(query);
  assert.equal(entries.length, 1);
  const [entry] = entries as [MemoryEntry];
  const { content, excerpt } = entry;
  if (excerpt !== undefined) assert.equal(content.slice(excerpt.start, excerpt.end), excerpt.text);
  return entry;
}

export const excerpts: RecordStoreCases = {
  concern: 'Excerpts',
  cases: [
    {
      title: 'an entry of a long record has its whole content, and the passage that fits the query',
      when: ({ search }) => search !== 'semantic',
      async run(harness) {
        for (const before of [0, 20, 200]) {
          const store = harness.open().within([`after ${before}`]);
          const text = `${filler(before)}${ANSWER} ${filler(20)}`;
          await store.put({ id: 'long', content: text });
          const { content, excerpt } = await findOne(store, 'Where does the heron nest?');
          assert.equal(content, text);
          assert.ok(excerpt, 'A long entry has an excerpt');
          assert.ok(excerpt.text.includes(ANSWER), 'The passage has the answer');
          assert.ok(excerpt.text.length <= 320, 'A passage has up to 320 UTF-16 units');
        }
      },
    },
    {
      title: 'an entry of a short record has no excerpt',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'short', content: ANSWER });
        assert.equal((await findOne(store, 'heron')).excerpt, undefined);
      },
    },
    {
      title: 'a search finds entries whose texts are long together, with a filter, too',
      when: ({ search }) => search !== 'semantic',
      async run(harness, { filter }) {
        const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
        const long = `heron ${'x'.repeat(700_000)}`;
        const store = harness.open();
        for (const id of ids) await store.put({ id, content: long, metadata: { n: 1 } });
        for (const options of [{}, ...(filter ? [{ filter: { n: 1 } }] : [])]) {
          const entries = await store.search('heron', { ...options, maxSearchResults: ids.length });
          assert.deepEqual(entries.map(({ id }) => id).sort(), ids);
          assert.ok(entries.every(({ content }) => content === long));
        }
      },
    },
    {
      title: 'a query of thousands of words finds the entry with its repeated word',
      when: ({ search }) => search !== 'semantic',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: ANSWER });
        await findOne(store, `${MANY_WORDS} heron ${MANY_WORDS.slice(0, 2_000)} heron heron`);
        await findOne(store, `heron heron heron ${MANY_WORDS}`);
      },
    },
  ],
};
