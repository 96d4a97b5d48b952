import { describe, expect, it } from 'vitest';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import type { Script } from '../src/client/script.ts';
import { RedisStore } from '../src/index.ts';
import { CHANGE, READ } from '../src/lua/records/log-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

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
  return { own: new RedisStore({ client, keyPrefix, name: 'memory' }), other };
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
    const { own, other } = await place(CHANGE, 2, replaceAll);
    await own.put({ id: 'a', content: 'A stork' });
    expect(await other.search('egret')).toEqual([]);
    expect((await other.search('stork')).map(({ id }) => id)).toEqual(['a']);
    expect((await other.list()).items).toHaveLength(2);
  });

  it('are not taken for those before it by a delete that read them', async () => {
    const { own, other } = await place(CHANGE, 1, replaceAll);
    expect(await own.delete('a')).toBe(true);
    expect(await other.search('egret')).toEqual([]);
    expect((await other.list()).items.map(({ id }) => id)).toEqual(['b']);
  });

  it('are not results of a search that found others', async () => {
    const { own, other } = await place(READ, 1, replaceAll);
    // So long that a table does not keep all of them.
    const long = 'x'.repeat(1_000_000);
    await other.putMany(['a', 'c', 'd', 'e', 'f', 'g'].map((id) => ({ id, content: `A heron ${id} ${long}` })));
    expect(await own.search('heron', { maxSearchResults: 10 })).toEqual([]);
  });
});
