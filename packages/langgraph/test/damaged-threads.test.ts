import type { MemoryRecord } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { KeepsakeSaver, KeepsakeStore } from '../src/index.ts';

const CONFIG = { configurable: { thread_id: 't', checkpoint_ns: '' } };

/** A thread with a checkpoint that has a large value, and with a write. */
async function savedThread() {
  const store = new InMemoryStore({ name: 'threads' });
  const saver = new KeepsakeSaver({ store });
  const checkpoint = { ...emptyCheckpoint(), channel_values: { a: [1], b: 'x'.repeat(70_000) } };
  const versions = { a: 1, b: 1 };
  const saved = { ...checkpoint, channel_versions: versions };
  const config = await saver.put(CONFIG, saved, { source: 'input', step: -1, parents: {} }, versions);
  await saver.putWrites(config, [['a', [2]]], 'task');
  return store;
}

/** Changes the content of the records whose ids begin with a text. */
async function damage(store: InMemoryStore, begin: string, change: (content: string) => string) {
  for (const { namespace } of (await store.namespaces()).items) {
    const place = store.within(namespace);
    const { items } = await place.list({ idPrefix: begin });
    const records = items.map(({ id, content }: MemoryRecord) => ({ id, content: change(content), index: false }));
    if (records.length > 0) await place.putMany(records);
  }
}

describe('a damaged thread is CORRUPT', () => {
  it.each<[what: string, begin: string, change: (content: string) => string]>([
    ['a checkpoint that is no JSON', 'checkpoint:', (content) => content.slice(0, 20)],
    ['a checkpoint that is null', 'checkpoint:', () => 'null'],
    ['parts of a checkpoint that are no JSON', 'checkpoint:', () => 'parts:{'],
    ['more parts than there can be', 'checkpoint:', () => 'parts:{"at":"a","parts":1e15}'],
    ['values that are null', 'checkpoint:', (content) => content.replace(/"values":.*\}$/, '"values":null}')],
    ['a value that is null', 'checkpoint:', (content) => content.replace('"a":{', '"a":null,"c":{')],
    ['data of an unknown type', 'checkpoint:', (content) => content.replaceAll('["json"', '["yaml"')],
    ['data that is no list', 'checkpoint:', (content) => content.replace('"metadata":[', '"metadata":true,"m":[')],
    ['a large value that is no JSON', 'part:', () => '|{'],
    ['writes that are no list', 'writes:', () => '{}'],
    ['a write without a task', 'writes:', () => '[null]'],
    ['a write whose value is null', 'writes:', (content) => content.replace('"value":{', '"value":null,"v":{')],
  ])('%s', async (_, begin, change) => {
    const store = await savedThread();
    await damage(store, begin, change);
    await expect(new KeepsakeSaver({ store }).getTuple(CONFIG)).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});

it('a filter compares no object as a number', async () => {
  const items = new KeepsakeStore({ store: new InMemoryStore({ name: 'items' }) });
  await items.put(['users'], 'k', { n: { toString: 1, valueOf: 1 } });
  expect(await items.search(['users'], { filter: { n: { $gte: 1 } } })).toEqual([]);
});
