import { type Extractor, type MemoryChange, MemoryManager } from '@keepsake/core';
import { expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';

const BY_HAND = { name: 'by hand', attach() {} };

/** A manager whose extractor answers with these changes, batch by batch, and its store. */
function setup(...answers: MemoryChange[][]) {
  const extractor: Extractor = { extract: async () => answers.shift() ?? [] };
  const store = new InMemoryStore({ name: 'facts', extraction: { trigger: BY_HAND, extractor } });
  return { store, memory: new MemoryManager({ stores: [store] }) };
}

it('a fact names its conversation, its run and who said it', async () => {
  const { store, memory } = setup(
    [{ kind: 'add', content: 'Likes tea' }],
    [
      { kind: 'add', content: 'The train leaves at nine', speaker: 'tool' },
      { kind: 'add', content: 'Both agreed on Friday' },
    ],
  );
  const chat = memory.conversation({ id: 'chat-1' });
  chat.observe({ role: 'user', content: 'I like tea.' });
  await memory.flush();
  chat.observe({ role: 'user', content: 'When?' }, { role: 'assistant', content: 'At nine, on Friday.' });
  await memory.flush();
  const { items } = await store.list({ order: 'oldest' });
  const run = items[0]?.source?.run;
  expect(run).toEqual(expect.any(String));
  expect(items.map(({ content, source }) => [content, source])).toEqual([
    ['Likes tea', { conversation: 'chat-1', run, speaker: 'user', kind: 'fact' }],
    ['The train leaves at nine', { conversation: 'chat-1', run, speaker: 'tool', kind: 'fact' }],
    ['Both agreed on Friday', { conversation: 'chat-1', run, kind: 'fact' }],
  ]);
  const said = await store.list({ filter: { 'source.speaker': 'user' } });
  expect(said.items.map(({ content }) => content)).toEqual(['Likes tea']);
});

it('a fact that changes names who said it last, and its older version who said it before', async () => {
  const { store, memory } = setup([{ kind: 'add', content: 'Lives in Bergen' }], []);
  memory.conversation({ id: 'chat-1' }).observe({ role: 'user', content: 'I live in Bergen.' });
  await memory.flush();
  const [bergen] = (await store.list()).items;
  const later = new MemoryManager({
    stores: [
      store.within([], {
        extraction: {
          trigger: BY_HAND,
          extractor: {
            extract: async ({ known }) => [{ kind: 'update', id: known[0]?.id ?? '', content: 'Lives in Oslo' }],
          },
        },
      }),
    ],
  });
  later.conversation({ id: 'chat-2' }).observe({ role: 'tool', content: 'Bergen is the old address, Oslo the new.' });
  later.conversation({ id: 'chat-2' }).observe({ role: 'assistant', content: 'You live in Oslo now, not in Bergen.' });
  await later.flush();
  const [oslo] = (await store.list()).items;
  const history = await store.history(oslo?.id ?? '');
  expect(history.map(({ content, source }) => [content, source?.conversation, source?.speaker])).toEqual([
    ['Lives in Bergen', 'chat-1', 'user'],
    ['Lives in Oslo', 'chat-2', 'assistant'],
  ]);
  expect(history[0]?.id).toBe(bergen?.id);
});

it('an utterance names its conversation, its run and its speaker', async () => {
  const store = new InMemoryStore({ name: 'log', extraction: { trigger: BY_HAND } });
  const memory = new MemoryManager({ stores: [store] });
  memory
    .conversation({ id: 'chat-1' })
    .observe({ role: 'user', content: 'I like tea.' }, { role: 'assistant', content: 'So do I.' });
  await memory.flush();
  const { items } = await store.list({ order: 'oldest' });
  const run = items[0]?.source?.run;
  expect(items.map(({ source }) => source)).toEqual([
    { conversation: 'chat-1', run, speaker: 'user', kind: 'utterance' },
    { conversation: 'chat-1', run, speaker: 'assistant', kind: 'utterance' },
  ]);
});
