import assert from 'node:assert/strict';
import type { Filter, RecordInput, RecordSource } from '@keepsake/core';
import { passing } from './filters.ts';
import { heldIds, listAll, type RecordStoreCase, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

const SOURCES = {
  whole: { conversation: 'talk:1', run: 'run 7', speaker: 'Ada', kind: 'fact' },
  conversation: { conversation: '💡\u2028' },
  run: { run: "O'Neill%" },
  speaker: { speaker: 'assistant' },
  kind: { kind: 'utterance' },
  hostile: { conversation: '\u0001\ud7ff\ufefe\ufeff', run: '\n"\\', speaker: 'x'.repeat(512), kind: 'summary' },
} satisfies Record<string, RecordSource>;

const badSources: readonly unknown[] = [
  null,
  'talk',
  [],
  { conversation: '' },
  { conversation: 7 },
  { conversation: 'x'.repeat(513) },
  { run: 'a\0b' },
  { run: null },
  { speaker: '\ud800' },
  { speaker: { name: 'Ada' } },
  { kind: 'rumour' },
  { kind: '' },
  { kind: null },
  { conversaton: SECRET },
  { kind: 'fact', url: SECRET },
];

const filtering: readonly RecordStoreCase[] = [
  {
    title: 'a filter names the fields of a source: source.conversation, source.run, source.speaker, source.kind',
    when: ({ filter }) => filter,
    async run(harness, capabilities) {
      const store = harness.open();
      const inputs = Object.entries(SOURCES).map(([id, source]) => ({ id, content: 'heron', source }));
      await store.putMany([...inputs, { id: 'none', content: 'heron' }]);
      const is = (filter: Filter) => passing(store, capabilities, filter);
      for (const [id, source] of Object.entries(SOURCES)) {
        for (const [field, value] of Object.entries(source)) {
          assert.deepEqual(await is({ [`source.${field}`]: value }), [id], field);
        }
      }
      assert.deepEqual(await is({ 'source.run': 'run 7', 'source.kind': 'fact' }), ['whole']);
      assert.deepEqual(await is({ 'source.run': 'run 7', 'source.kind': 'summary' }), []);
      assert.deepEqual(await is({ 'source.kind': { in: ['fact', 'utterance'] } }), ['kind', 'whole']);
      assert.deepEqual(await is({ 'source.speaker': { gte: 'Ada', lt: 'a' } }), ['whole']);
      assert.deepEqual(await is({ 'source.run': { exists: true } }), ['hostile', 'run', 'whole']);
      assert.deepEqual(await is({ 'source.kind': { exists: false } }), ['conversation', 'none', 'run', 'speaker']);
      const others = ['conversation', 'hostile', 'none', 'run', 'speaker', 'whole'];
      assert.deepEqual(await is({ 'source.kind': { ne: 'utterance' } }), others);
    },
  },
  {
    title: 'a metadata field that is named like a field of the source is not that field',
    when: ({ filter }) => filter,
    async run(harness, capabilities) {
      const store = harness.open();
      const metadata = { 'source.kind': 'fact', kind: 'fact', source: { kind: 'fact' }, '\ufefekind': 'fact' };
      await store.putMany([
        { id: 'metadata', content: 'heron', metadata },
        { id: 'source', content: 'heron', source: { kind: 'fact' } },
      ]);
      assert.deepEqual((await store.get('metadata'))?.metadata, metadata);
      assert.deepEqual(await passing(store, capabilities, { 'source.kind': 'fact' }), ['source']);
      assert.deepEqual(await passing(store, capabilities, { kind: 'fact' }), ['metadata']);
      assert.deepEqual(await passing(store, capabilities, { source: { exists: true } }), ['metadata']);
    },
  },
  {
    title: 'a filter that compares a source field with anything but a string is refused',
    when: ({ filter }) => filter,
    async run(harness) {
      const store = harness.open();
      for (const condition of [7, null, true, { in: ['fact', 7] }, { ne: null }, { gt: 0 }, { exists: 'no' }]) {
        const filter = { 'source.run': condition } as unknown as Filter;
        await refuses('INVALID_ARGUMENT', () => store.search('heron', { filter }));
      }
    },
  },
];

export const provenance: RecordStoreCases = {
  concern: 'Provenance',
  cases: [
    {
      title: 'a source comes back unchanged, complete or partial',
      async run(harness, { enumerate }) {
        const store = harness.open();
        const put = await store.putMany(
          Object.entries(SOURCES).map(([id, source]) => ({ id, content: `heron ${id}`, source })),
        );
        for (const [index, [id, source]] of Object.entries(SOURCES).entries()) {
          assert.deepEqual(put[index]?.source, source);
          assert.deepEqual((await store.get(id))?.source, source);
          const [entry] = await store.search(`heron ${id}`);
          assert.deepEqual([entry?.id, entry?.source], [id, source]);
        }
        if (!enumerate) return;
        for (const { id, source } of await listAll(store)) assert.deepEqual(source, Reflect.get(SOURCES, id));
      },
    },
    {
      title: 'a source without fields counts as missing',
      async run(harness) {
        const store = harness.open();
        const bare = await store.put({ id: 'bare', content: 'heron' });
        const empty = await store.put({ id: 'empty', content: 'heron', source: {} });
        const blank = { conversation: undefined, kind: undefined } as unknown as RecordSource;
        const undefinedFields = await store.put({ id: 'undefined', content: 'heron', source: blank });
        for (const record of [bare, empty, undefinedFields]) {
          assert.ok(!('source' in record), record.id);
          assert.ok(!('source' in ((await store.get(record.id)) ?? {})), record.id);
        }
      },
    },
    {
      title: 'a replacement replaces the source, or leaves none',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron', source: SOURCES.whole });
        await store.put({ id: 'one', content: 'heron', source: { kind: 'summary' } });
        assert.deepEqual((await store.get('one'))?.source, { kind: 'summary' });
        await store.put({ id: 'one', content: 'heron' });
        assert.ok(!('source' in ((await store.get('one')) ?? {})));
      },
    },
    {
      title: 'an invalid source is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const source of badSources) {
          const input = { content: `heron ${SECRET}`, source } as RecordInput;
          await refuses('INVALID_ARGUMENT', () => store.put(input));
          await refuses('INVALID_ARGUMENT', () => store.putMany([{ content: 'heron' }, input]));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'addMessages sets the source of each message from its context',
      async run(harness) {
        const store = harness.open();
        const talk = [
          { role: 'user' as const, content: 'Where does the heron nest?' },
          { role: 'assistant' as const, content: 'The heron nests in the alder.' },
        ];
        const sourcesOf = async (context?: Parameters<typeof store.addMessages>[1]) =>
          (await store.addMessages(talk, context)).map(({ source }) => source);
        const said = (rest: RecordSource) =>
          talk.map(({ role }) => ({ speaker: role, kind: 'utterance' as const, ...rest }));
        const sequenceNumbers = [0, 1];
        assert.deepEqual(await sourcesOf(), said({}));
        assert.deepEqual(await sourcesOf({ sequenceNumbers }), said({}));
        assert.deepEqual(await sourcesOf({ runId: 'r', sequenceNumbers }), said({ conversation: 'r', run: 'r' }));
        const context = { runId: 'r', thread: 't', sequenceNumbers };
        assert.deepEqual(await sourcesOf(context), said({ conversation: 't', run: 'r' }));
        assert.deepEqual(await sourcesOf({ thread: 'u', sequenceNumbers }), said({ conversation: 'u' }));
      },
    },
    ...filtering,
  ],
};
