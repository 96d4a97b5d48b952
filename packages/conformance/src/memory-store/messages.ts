import assert from 'node:assert/strict';
import type { AddMessagesContext, Message } from '@keepsake/core';
import { refuses, SECRET } from '../record-store/helpers.ts';
import { addMessages, foundTexts, type MemoryStoreCases } from './harness.ts';

const talk: Message[] = [
  { role: 'user', content: 'Where does the heron nest?' },
  { role: 'assistant', content: [{ text: 'The heron nests in the alder.' }] },
];
const texts = ['The heron nests in the alder.', 'Where does the heron nest?'];

const verbatim = ({ addMessages }: { readonly addMessages: string | false }) => addMessages === 'verbatim';

const badContexts: readonly unknown[] = [
  { runId: 'run' },
  { runId: 'run', sequenceNumbers: [0] },
  { runId: 'run', sequenceNumbers: [1, 0] },
  { runId: 'run', sequenceNumbers: [-1, 0] },
  { runId: 'run', sequenceNumbers: [0, 0.5] },
];

export const messages: MemoryStoreCases = {
  concern: 'Messages',
  cases: [
    {
      title: 'a store without addMessages has no such method',
      when: (capabilities) => capabilities.addMessages === false,
      async run(harness) {
        assert.equal(harness.open().addMessages, undefined);
      },
    },
    {
      title: 'addMessages takes messages of text and of blocks, with and without a context',
      when: (capabilities) => capabilities.addMessages !== false,
      async run(harness) {
        const store = harness.open();
        await addMessages(harness, store, talk);
        await addMessages(harness, store, talk, { runId: 'run', sequenceNumbers: [0, 1] });
        await addMessages(harness, store, talk, { sequenceNumbers: [0, 1] });
        await addMessages(harness, store, []);
        assert.ok(Array.isArray(await store.search('heron')));
      },
    },
    {
      title: 'each message with text is found verbatim',
      when: verbatim,
      async run(harness) {
        const store = harness.open();
        const tools: Message[] = [
          { role: 'assistant', content: [{ toolUse: { name: 'look', toolUseId: 't1', input: { at: 'heron' } } }] },
          { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: 'heron' }] } }] },
          { role: 'assistant', content: ' ' },
        ];
        await addMessages(harness, store, [...talk, ...tools], { runId: 'run', sequenceNumbers: [0, 1, 2, 3, 4] });
        assert.deepEqual((await foundTexts(store, 'heron')).sort(), texts);
      },
    },
    {
      title: 'a retry with the same run and sequence numbers leaves one entry each',
      when: verbatim,
      async run(harness) {
        const context = { runId: 'run', sequenceNumbers: [0, 1] };
        for (const store of [harness.open(), harness.open()]) await addMessages(harness, store, talk, context);
        assert.deepEqual((await foundTexts(harness.open(), 'heron')).sort(), texts);
      },
    },
    {
      title: 'the same messages of another run are stored again',
      when: verbatim,
      async run(harness) {
        const store = harness.open();
        for (const runId of ['one', 'two']) {
          await addMessages(harness, store, talk, { runId, sequenceNumbers: [0, 1] });
        }
        assert.equal((await store.search('heron')).length, 4);
      },
    },
    {
      title: 'missing, too few or non-increasing sequence numbers are refused, and nothing is written',
      when: verbatim,
      async run(harness) {
        const store = harness.open();
        const secrets: Message[] = talk.map(({ role }) => ({ role, content: `heron ${SECRET}` }));
        for (const context of badContexts as AddMessagesContext[]) {
          await refuses('INVALID_ARGUMENT', async () => store.addMessages?.(secrets, context));
        }
        await harness.settle?.();
        assert.deepEqual(await foundTexts(store, 'heron'), []);
      },
    },
  ],
};
