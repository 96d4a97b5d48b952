import assert from 'node:assert/strict';
import type { ContentBlock, Filter, JsonObject, MemoryRecord, RecordInput, RecordStore } from '@keepsake/core';
import { foundIds, heldIds, type RecordStoreCases } from './helpers.ts';

function input(): {
  id: string;
  content: string;
  metadata: { tags: string[] };
  turn: { thread: string; index: number };
} {
  return { id: 'one', content: 'heron', metadata: { tags: ['bird'] }, turn: { thread: 'talk', index: 0 } };
}

/** Changes everything that can be changed in a result. */
function spoil(result: object): void {
  const { metadata, turn } = result as { metadata?: JsonObject; turn?: object };
  const changes: [part: unknown, change: object][] = [
    [metadata?.tags, { 0: 'spoilt' }],
    [metadata, { spoilt: true }],
    [turn, { thread: 'spoilt' }],
    [result, { content: 'spoilt' }],
  ];
  for (const [part, change] of changes) {
    try {
      if (part !== undefined) Object.assign(part as object, change);
    } catch {
      // Frozen, which also protects it.
    }
  }
}

async function assertUnspoilt(store: RecordStore): Promise<void> {
  const record = await store.get('one');
  const { content, metadata, turn } = record as MemoryRecord;
  assert.deepEqual({ id: 'one', content, metadata, turn }, input());
  const entry = (await store.search('heron'))[0];
  assert.equal(entry?.content, 'heron');
  assert.deepEqual(entry?.metadata, { tags: ['bird'] });
  assert.deepEqual(entry?.turn, { thread: 'talk', index: 0 });
}

export const isolation: RecordStoreCases = {
  concern: 'Nothing is shared with the caller',
  cases: [
    {
      title: 'changing a record after put changes nothing stored',
      async run(harness) {
        const store = harness.open();
        const record = input();
        await store.put(record);
        spoil(record);
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing a record while put is in flight changes nothing stored',
      async run(harness) {
        const store = harness.open();
        const record = input();
        const put = store.put(record);
        spoil(record);
        assert.deepEqual((await put).metadata, { tags: ['bird'] });
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing the records of a batch, before or after putMany is done, changes nothing stored',
      async run(harness, capabilities) {
        const store = harness.open();
        const records: RecordInput[] = [input()];
        const putMany = store.putMany(records);
        spoil(records[0] as RecordInput);
        records.push({ id: 'two', content: 'heron' });
        assert.equal((await putMany).length, 1);
        spoil(records[0] as RecordInput);
        await assertUnspoilt(store);
        assert.deepEqual(await heldIds(store, capabilities), ['one']);
      },
    },
    {
      title: 'changing the metadata passed to add, before or after it is done, changes nothing stored',
      async run(harness) {
        const store = harness.open();
        const metadata: JsonObject = { tags: ['bird'] };
        const add = store.add('heron', metadata);
        metadata.tags = ['spoilt'];
        const { id } = await add;
        spoil({ metadata });
        assert.deepEqual((await store.get(id))?.metadata, { tags: ['bird'] });
      },
    },
    {
      title: 'changing messages while addMessages is in flight changes nothing stored',
      async run(harness) {
        const store = harness.open();
        const block = { text: 'heron' };
        const blocks: ContentBlock[] = [block];
        const sequenceNumbers = [4];
        const add = store.addMessages([{ role: 'user', content: blocks }], { runId: 'run', sequenceNumbers });
        block.text = 'spoilt';
        blocks.push({ text: 'spoilt' });
        sequenceNumbers[0] = 9;
        const [record] = await add;
        assert.deepEqual([record?.content, record?.turn?.index], ['heron', 4]);
        assert.deepEqual(await store.get(record?.id as string), record);
      },
    },
    {
      title: 'changing the results of put and putMany changes nothing stored',
      async run(harness) {
        const store = harness.open();
        spoil(await store.put(input()));
        await assertUnspoilt(store);
        for (const record of await store.putMany([input()])) spoil(record);
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing the result of get changes nothing stored',
      async run(harness) {
        const store = harness.open();
        await store.put(input());
        spoil((await store.get('one')) as MemoryRecord);
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing the result of list changes nothing stored',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        await store.put(input());
        spoil((await store.list()).items[0] as MemoryRecord);
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing the result of search changes nothing stored',
      async run(harness) {
        const store = harness.open();
        await store.put(input());
        spoil((await store.search('heron'))[0] as object);
        await assertUnspoilt(store);
      },
    },
    {
      title: 'changing the result of add changes nothing stored',
      async run(harness) {
        const store = harness.open();
        const record = await store.add('heron', { tags: ['bird'] });
        spoil(record);
        assert.deepEqual((await store.get(record.id))?.metadata, { tags: ['bird'] });
        spoil(await store.add('heron', { tags: ['bird'] }));
        assert.deepEqual((await store.get(record.id))?.metadata, { tags: ['bird'] });
      },
    },
    {
      title: 'changing a filter while its search runs changes nothing in the search',
      when: ({ filter }) => filter,
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'mine', content: 'heron', metadata: { user: 'Ada' } });
        await store.put({ id: 'theirs', content: 'heron', metadata: { user: 'Bob' } });
        const filter: Record<string, { in: string[] }> = { user: { in: ['Ada'] } };
        const search = foundIds(store, 'heron', { filter: filter as Filter });
        filter.user?.in.push('Bob');
        delete filter.user;
        assert.deepEqual(await search, ['mine']);
      },
    },
  ],
};
