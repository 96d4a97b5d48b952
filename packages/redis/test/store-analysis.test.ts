import { setTimeout as wait } from 'node:timers/promises';
import { isMemoryError } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { readIndex } from './read-index.ts';

const shared = sharedRedis();

function openers() {
  const { client } = shared;
  const keyPrefix = freshPrefix();
  const open = (language?: RedisStoreOptions['language']) =>
    new RedisStore({ client, keyPrefix, name: 'memory', ...(language === undefined ? {} : { language }) });
  return { open, keys: storeKeys(keyPrefix, []), index: () => readIndex(client, storeKeys(keyPrefix, [])) };
}

const isOther = (error: unknown) =>
  isMemoryError(error, 'BACKEND') && /detected.*none.*language.*list\(\).*clear\(\)/s.test(error.message);

describe('A namespace whose texts were analysed for another language', () => {
  it('rejects writes and searches without changing anything, and can be read, cleared and written again', async () => {
    const { open, index } = openers();
    await open().putMany([
      { id: 'a', content: 'The guitars are in the lighthouse.' },
      { id: 'b', content: 'tea' },
    ]);
    const before = await index();
    const other = open('none');
    for (const call of [
      () => other.put({ id: 'a', content: 'milk' }),
      () => other.put({ content: 'milk' }),
      () => other.putMany([{ content: 'milk' }]),
      () => other.add('milk'),
      () => other.delete('a'),
      () => other.search('guitars'),
    ]) {
      await expect(call()).rejects.toSatisfy(isOther);
    }
    expect(await index()).toEqual(before);
    expect((await other.list()).items).toHaveLength(2);
    expect(await other.get('b')).toMatchObject({ content: 'tea', version: 1 });
    expect((await open().search('guitar')).map(({ id }) => id)).toEqual(['a']);
    await other.clear();
    await other.put({ id: 'a', content: 'the guitars' });
    expect((await other.search('the')).map(({ id }) => id)).toEqual(['a']);
    await expect(open().search('the')).rejects.toThrow(/none.*detected/);
  });

  it('keeps its expired records until a store with the same language removes them', async () => {
    const { open, keys } = openers();
    await open().putMany([
      { content: 'the guitars', ttlMs: 1 },
      { content: 'the tea', ttlMs: 60_000 },
    ]);
    await wait(10);
    await expect(open('none').search('tea')).rejects.toSatisfy(isOther);
    expect(await shared.client.hget(keys.stats, 'records')).toBe('2');
    expect(await open().search('tea')).toHaveLength(1);
    expect(await shared.client.hget(keys.stats, 'records')).toBe('1');
  });

  it('accepts another language once its last record is deleted', async () => {
    const { open, index } = openers();
    const first = open();
    await first.put({ id: 'a', content: 'The guitars' });
    await first.delete('a');
    await open('none').put({ id: 'a', content: 'The guitars' });
    expect((await index()).counted).toEqual({ records: '1', docs: '1', length: '2', squares: '4', 'in:none': '1' });
    await open('none').delete('a');
    expect((await index()).counted).toEqual({});
  });

  it('does not affect its parent and sibling namespaces', async () => {
    const { open } = openers();
    await open().within(['a']).put({ content: 'the guitars' });
    await open('none').within(['b']).put({ content: 'the guitars' });
    expect(await open().within(['a']).search('guitar')).toHaveLength(1);
    expect(await open('none').within(['b']).search('guitars')).toHaveLength(1);
  });

  it('makes searches with descendants fail in the namespaces above it, and nothing else', async () => {
    const { open } = openers();
    await open().put({ content: 'the guitars' });
    await open('none').within(['a', 'b']).put({ content: 'the guitars' });
    await expect(open().search('guitar', { descendants: true })).rejects.toThrow(/"[^"]*none".*"[^"]*detected"/);
    await expect(open('none').within(['a']).search('guitars', { descendants: true })).resolves.toHaveLength(1);
    await expect(open().search('guitar')).resolves.toHaveLength(1);
    await open().within(['a', 'b']).clear();
    await expect(open().search('guitar', { descendants: true })).resolves.toHaveLength(1);
  });
});
