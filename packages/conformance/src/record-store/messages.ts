import assert from 'node:assert/strict';
import type { AddMessagesContext, Message } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { foundIds, heldIds, listAll, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

const talk: readonly Message[] = [
  { role: 'user', content: 'Where does the heron nest?' },
  { role: 'assistant', content: 'The heron nests in the alder.' },
];

const badContexts: readonly unknown[] = [
  { runId: 'run' },
  { thread: 'talk' },
  { runId: 'run', thread: 'talk' },
  { runId: 'run', sequenceNumbers: [0] },
  { runId: 'run', sequenceNumbers: [0, 1, 2] },
  { runId: 'run', sequenceNumbers: [1, 0] },
  { runId: 'run', sequenceNumbers: [1, 1] },
  { runId: 'run', sequenceNumbers: [-1, 0] },
  { runId: 'run', sequenceNumbers: [0, 0.5] },
  { runId: 'run', sequenceNumbers: ['0', '1'] },
  { runId: 'run', sequenceNumbers: null },
  { runId: '', sequenceNumbers: [0, 1] },
  { runId: 'a\0b', sequenceNumbers: [0, 1] },
  { runId: 7, sequenceNumbers: [0, 1] },
  { runId: 'run', thread: '', sequenceNumbers: [0, 1] },
];

const badMessages: readonly unknown[] = [
  undefined,
  null,
  'heron',
  { role: 'user', content: 'heron' },
  [null],
  ['heron'],
  [{ role: 'robot', content: `heron ${SECRET}` }],
  [{ content: `heron ${SECRET}` }],
  [{ role: 'user' }],
  [{ role: 'user', content: 7 }],
  [{ role: 'user', content: { text: `heron ${SECRET}` } }],
  [{ role: 'user', content: [null] }],
  [{ role: 'user', content: ['heron'] }],
  [talk[0], { role: 'robot', content: `heron ${SECRET}` }],
];

/** A turn of an agent in the format of the Strands SDK. */
const agentTurn: readonly Message[] = [
  { role: 'user', content: [{ text: 'Find the heron.' }, { image: { format: 'png', source: {} } }] },
  {
    role: 'assistant',
    content: [
      { reasoning: { text: 'Not for the record.' } },
      { text: 'I look for the heron.' },
      { toolUse: { name: 'look', toolUseId: 't1', input: { at: 'river' } } },
    ],
  },
  {
    role: 'user',
    content: [{ toolResult: { toolUseId: 't1', status: 'success', content: [{ text: 'heron at the river' }] } }],
  },
  { role: 'assistant', content: [{ toolUse: { name: 'look', toolUseId: 't2', input: {} } }] },
  { role: 'assistant', content: [{ text: 'The heron stands' }, { text: 'at the river.' }, { cachePoint: {} }] },
  { role: 'assistant', content: [{ text: ' ' }] },
  { role: 'tool', content: [] },
];

export const messages: RecordStoreCases = {
  concern: 'Messages',
  cases: [
    {
      title: 'addMessages stores each message with its turn, in order',
      async run(harness) {
        const store = harness.open();
        const context = { runId: 'run', thread: 'talk', sequenceNumbers: [0, 1] };
        const records = await store.addMessages([...talk], context);
        assert.deepEqual(
          records.map(({ content, turn }) => [content, turn]),
          [
            ['Where does the heron nest?', { thread: 'talk', index: 0, speaker: 'user' }],
            ['The heron nests in the alder.', { thread: 'talk', index: 1, speaker: 'assistant' }],
          ],
        );
        for (const record of records) assert.deepEqual(await store.get(record.id), record);
        assert.deepEqual((await foundIds(store, 'heron')).sort(), records.map(({ id }) => id).sort());
      },
    },
    {
      title: 'addMessages keeps the name of a speaker and the time of a message',
      async run(harness) {
        const store = harness.open();
        const said: Message[] = [
          { role: 'user', content: 'Where does the heron nest?', name: 'Zoë', createdAt: '2024-02-29T12:00:00+02:00' },
          {
            role: 'assistant',
            content: [{ text: 'In the alder.' }],
            name: 'guide',
            createdAt: '2024-02-29T10:01:00.5Z',
          },
          { role: 'user', content: 'Thank you, heron guide.', name: null },
        ];
        const records = await store.addMessages(said, { runId: 'run', sequenceNumbers: [0, 1, 2] });
        assert.deepEqual(
          records.map(({ metadata }) => metadata),
          [{ role: 'user', name: 'Zoë' }, { role: 'assistant', name: 'guide' }, { role: 'user' }],
        );
        assert.deepEqual(
          records.slice(0, 2).map(({ createdAt }) => createdAt),
          ['2024-02-29T10:00:00.000Z', '2024-02-29T10:01:00.500Z'],
        );
        for (const record of records) assert.deepEqual(await store.get(record.id), record);
      },
    },
    {
      title: 'messages are created in their order',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        const records = await store.addMessages([...talk, ...talk], { runId: 'r', sequenceNumbers: [2, 3, 5, 8] });
        assert.deepEqual(await listAll(store, { order: 'oldest' }), records);
        assert.deepEqual(
          records.map(({ turn }) => turn?.index),
          [2, 3, 5, 8],
        );
      },
    },
    {
      title: 'the thread of a turn defaults to the run',
      async run(harness) {
        const records = await harness.open().addMessages([...talk], { runId: 'run 7', sequenceNumbers: [0, 1] });
        assert.deepEqual(
          records.map(({ turn }) => turn?.thread),
          ['run 7', 'run 7'],
        );
      },
    },
    {
      title: 'a retry with the same run and sequence numbers leaves one record each',
      async run(harness, capabilities) {
        const context = { runId: 'run', sequenceNumbers: [0, 1] };
        const records = await harness.open().addMessages([...talk], context);
        const again = await harness.open().addMessages([...talk], context);
        const ids = records.map(({ id }) => id);
        assert.deepEqual(
          again.map(({ id }) => id),
          ids,
        );
        assert.deepEqual(await heldIds(harness.open(), capabilities), ids.toSorted());
      },
    },
    {
      title: 'a retry that overlaps adds only what is new',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.addMessages([...talk], { runId: 'run', sequenceNumbers: [0, 1] });
        const more: Message[] = [talk[1] as Message, { role: 'user', content: 'A heron in a tree!' }];
        const second = await store.addMessages(more, { runId: 'run', sequenceNumbers: [1, 2] });
        assert.equal(second[0]?.id, first[1]?.id);
        const ids = new Set([...first, ...second].map(({ id }) => id));
        assert.deepEqual(await heldIds(store, capabilities), [...ids].sort());
        assert.equal(ids.size, 3);
      },
    },
    {
      title: 'the same words in two runs, or under two numbers of one run, are separate records',
      async run(harness, capabilities) {
        const store = harness.open();
        const once: Message[] = [{ role: 'user', content: 'heron' }];
        for (const [runId, number] of [
          ['run', 1],
          ['run', 2],
          ['run:1', 2],
          ['Run', 1],
          ['run\u0001', 1],
        ] as const) {
          await store.addMessages(once, { runId, sequenceNumbers: [number] });
        }
        assert.equal((await heldIds(store, capabilities)).length, 5);
      },
    },
    {
      title: 'without a run, a retry with the same sequence numbers leaves one record each',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.addMessages([...talk], { sequenceNumbers: [0, 1] });
        await store.addMessages([...talk], { sequenceNumbers: [0, 1] });
        assert.deepEqual(await heldIds(store, capabilities), first.map(({ id }) => id).sort());
      },
    },
    {
      title: 'without a run, repeated sequence numbers with other words begin a new run and overwrite nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        const first = await store.addMessages([...talk], { sequenceNumbers: [0, 1] });
        const other: Message[] = [{ role: 'user', content: 'Another heron?' }];
        const second = await store.addMessages(other, { sequenceNumbers: [0] });
        assert.notEqual(second[0]?.turn?.thread, first[0]?.turn?.thread);
        for (const record of first) assert.deepEqual(await store.get(record.id), record);
        assert.equal((await heldIds(store, capabilities)).length, 3);
      },
    },
    {
      title: 'without sequence numbers, every call adds again',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.addMessages([...talk]);
        await store.addMessages([...talk], {});
        assert.equal((await heldIds(store, capabilities)).length, 4);
      },
    },
    {
      title: 'missing, too few or non-increasing sequence numbers are refused, and nothing is written',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const context of badContexts) {
          await refuses('INVALID_ARGUMENT', () => store.addMessages([...talk], context as AddMessagesContext));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'an invalid message is refused, and nothing is written',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const bad of badMessages) {
          await refuses('INVALID_ARGUMENT', () => store.addMessages(bad as Message[]));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'a message that is too large is refused with its whole batch',
      async run(harness, capabilities) {
        const store = harness.open();
        const batch: Message[] = [...talk, { role: 'user', content: SECRET.repeat(100_000) }];
        await refuses('TOO_LARGE', () => store.addMessages(batch));
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'the text of messages with blocks is stored; messages with only tools, or blank, are skipped',
      async run(harness, capabilities) {
        const store = harness.open();
        const records = await store.addMessages([...agentTurn], { runId: 'r', sequenceNumbers: [0, 1, 2, 3, 4, 5, 6] });
        assert.deepEqual(
          records.map(({ content, turn }) => [content, turn?.index]),
          [
            ['Find the heron.', 0],
            ['I look for the heron.', 1],
            ['The heron stands\nat the river.', 4],
          ],
        );
        assert.equal((await heldIds(store, capabilities)).length, 3);
      },
    },
    {
      title: 'messages without text write nothing',
      async run(harness, capabilities) {
        const store = harness.open();
        assert.deepEqual(await store.addMessages([]), []);
        assert.deepEqual(await store.addMessages([{ role: 'user', content: ' ' }]), []);
        assert.deepEqual(await store.addMessages(agentTurn.slice(2, 4), { sequenceNumbers: [0, 1] }), []);
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'one run in two namespaces is two runs',
      async run(harness) {
        const context = { runId: 'run', sequenceNumbers: [0, 1] };
        const inA = await harness.open({ namespace: ['a'] }).addMessages([...talk], context);
        const inB = await harness.open({ namespace: ['b'] }).addMessages([...talk], context);
        assert.deepEqual(
          inB.map(({ version }) => putCount(version)),
          [1, 1],
        );
        assert.deepEqual((await foundIds(harness.open({ namespace: ['a'] }), 'heron')).length, inA.length);
      },
    },
  ],
};
