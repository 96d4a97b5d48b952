import type { RecordInput } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import type { Script } from '../src/client/script.ts';
import { RedisStore } from '../src/index.ts';
import { PUT } from '../src/lua/records/put-records.ts';
import { FETCH } from '../src/lua/records/read-records.ts';
import { REMOVE } from '../src/lua/records/remove-records.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { readIndex } from './read-index.ts';

const shared = sharedRedis();

/** A client that calls `before` once, before it runs a script for the `nth` time. */
function interrupted(script: Script, nth: number, before: () => Promise<unknown>): RedisClient {
  let runs = 0;
  const call =
    (method: 'call' | 'callBuffer') =>
    async (command: string, values: ScriptArgument[]): Promise<unknown> => {
      if ((values[0] === script.sha || values[0] === script.lua) && ++runs === nth) await before();
      return shared.client[method](command, values);
    };
  return { call: call('call'), callBuffer: call('callBuffer') };
}

/** A namespace with one record, and two stores on it; `meanwhile` gets the second one. */
async function place(script: Script, nth: number, meanwhile: (other: RedisStore) => Promise<unknown>) {
  const keyPrefix = freshPrefix();
  const other = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
  const client = interrupted(script, nth, () => meanwhile(other));
  await other.put({ id: 'a', content: 'A heron' });
  return { own: new RedisStore({ client, keyPrefix, name: 'memory' }), other, keys: storeKeys(keyPrefix, []) };
}

/** Compares the index with that of a namespace in which only these records were put. */
async function expectSameIndexAsOf(records: readonly RecordInput[], keys: ReturnType<typeof storeKeys>): Promise<void> {
  const fresh = freshPrefix();
  await new RedisStore({ client: shared.client, keyPrefix: fresh, name: 'memory' }).putMany(records);
  const [{ terms, counted }, expected] = await Promise.all([
    readIndex(shared.client, keys),
    readIndex(shared.client, storeKeys(fresh, [])),
  ]);
  const words = (list: typeof terms) => list.map(([term]) => term).sort();
  expect(words(terms)).toEqual(words(expected.terms));
  expect(counted).toEqual(expected.counted);
}

const replaceAll = async (other: RedisStore) => {
  await other.clear();
  await other.putMany([
    { id: 'a', content: 'An egret' },
    { id: 'b', content: 'A plover' },
  ]);
};

describe('records that were put after clear()', () => {
  it('are not taken for those before it by a put that read them', async () => {
    // The first attempt reads what the record replaces.
    const { own, other, keys } = await place(PUT, 2, replaceAll);
    await own.put({ id: 'a', content: 'A stork' });
    expect(await other.search('egret')).toEqual([]);
    expect((await other.search('stork')).map(({ id }) => id)).toEqual(['a']);
    await expectSameIndexAsOf(
      [
        { id: 'a', content: 'A stork' },
        { id: 'b', content: 'A plover' },
      ],
      keys,
    );
  });

  it('are not taken for those before it by a delete that read them', async () => {
    const { own, other, keys } = await place(REMOVE, 1, replaceAll);
    expect(await own.delete('a')).toBe(true);
    expect(await other.search('egret')).toEqual([]);
    await expectSameIndexAsOf([{ id: 'b', content: 'A plover' }], keys);
  });

  it('are not results of a search that found others', async () => {
    const { own } = await place(FETCH, 1, replaceAll);
    expect(await own.search('heron')).toEqual([]);
  });

  it('are not taken for those before it after all of a large batch was removed, too', async () => {
    const many = Array.from({ length: 900 }, (_, n) => ({
      id: `${n}`,
      content: `A heron and a crane near bridge ${n}`,
    }));
    const { own, other } = await place(FETCH, 1, async (other) => {
      await other.clear();
      await other.putMany(many.map(({ id }) => ({ id, content: 'An egret' })));
    });
    await other.putMany(many);
    expect(await own.search('crane', { maxSearchResults: 5 })).toEqual([]);
  });
});
