import type { RecordInput } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import { RedisStore } from '../src/index.ts';
import { LIST } from '../src/lua/records/read-records.ts';
import { PASSING, SEARCH } from '../src/lua/search/search.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

const COUNT = rounds(6_000, 5_200);

/** More records than one script filters. All hold a word of the query; few pass. */
const RECORDS: readonly RecordInput[] = Array.from({ length: COUNT }, (_, n) => ({
  id: `${n}`,
  content: `heron ${n} ${'crane '.repeat(1 + (n % 5))}near bridge ${n % 7}`,
  metadata: { kind: n % (COUNT / 4) === 3 ? 'rare' : 'common' },
}));
const RARE = [0, 1, 2, 3].map((n) => `${(n * COUNT) / 4 + 3}`);
const filter = { kind: 'rare' };

async function fill() {
  const keyPrefix = freshPrefix();
  const scripts: string[] = [];
  let onScript = () => {};
  const call =
    (method: 'call' | 'callBuffer') =>
    (command: string, values: ScriptArgument[]): Promise<unknown> => {
      const script = { SEARCH, PASSING, LIST };
      for (const [name, { sha, lua }] of Object.entries(script)) {
        if (values[0] === sha || values[0] === lua) scripts.push(name);
      }
      onScript();
      return shared.client[method](command, values);
    };
  const client: RedisClient = { call: call('call'), callBuffer: call('callBuffer') };
  const store = new RedisStore({ client, keyPrefix, name: 'memory' });
  await store.putMany(RECORDS);
  // Loads the scripts.
  await store.search('heron crane', { filter });
  await store.list({ filter });
  scripts.length = 0;
  const each = (next: () => void) => {
    onScript = next;
  };
  return { store, scripts, each };
}

let filled: ReturnType<typeof fill> | undefined;

/** The same store for all tests; only the last one changes it. */
async function place() {
  filled ??= fill();
  const { scripts } = await filled;
  scripts.length = 0;
  return filled;
}

describe('a filter that few of many records pass', () => {
  it('is checked by a search in steps, and finds what an in-memory store finds', async () => {
    const { store, scripts } = await place();
    const memory = new InMemoryStore({ name: 'memory' });
    await memory.putMany(RECORDS);
    for (const query of ['heron crane', 'bridge 3']) {
      const found = await store.search(query, { filter });
      expect(found.map(({ id }) => id)).toEqual((await memory.search(query, { filter })).map(({ id }) => id));
    }
    expect(scripts.filter((name) => name === 'PASSING').length).toBeGreaterThanOrEqual(3);
    const below = await store.search('heron crane', { filter, descendants: true });
    expect(below).toHaveLength(4);
  });

  it('is checked by a list in steps', async () => {
    const { store, scripts } = await place();
    const { items } = await store.list({ filter, order: 'oldest' });
    expect(items.map(({ id }) => id)).toEqual(RARE);
    expect(scripts.length).toBeGreaterThanOrEqual(3);
  });

  it('lets a search and a list be aborted between the steps', async () => {
    const { store, scripts, each } = await place();
    for (const read of [store.search.bind(store, 'heron crane'), store.list.bind(store)]) {
      scripts.length = 0;
      const controller = new AbortController();
      each(() => {
        if (scripts.at(-1) !== 'SEARCH') controller.abort();
      });
      await expect(read({ filter, signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
      expect(scripts.length).toBeLessThanOrEqual(2);
      each(() => {});
    }
  });

  it('gives only records that pass, while records change', async () => {
    const { store, each } = await place();
    let next = 0;
    const changes: Promise<unknown>[] = [];
    let isChanging = false;
    each(() => {
      if (isChanging) return;
      isChanging = true;
      const id = `${RARE[next++ % 2]}`;
      const kind = next % 4 < 2 ? 'common' : 'rare';
      changes.push(
        store.put({ id, content: `heron ${kind} crane`, metadata: { kind } }).then(() => (isChanging = false)),
      );
    });
    for (let round = 0; round < 5; round++) {
      const found = await store.search('heron crane', { filter });
      for (const { metadata, content } of found) {
        expect(metadata).toEqual(filter);
        expect(content).not.toContain('common');
      }
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(RARE.slice(2)));
    }
    each(() => {});
    await Promise.all(changes);
  });
});
