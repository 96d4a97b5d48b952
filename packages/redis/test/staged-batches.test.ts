import type { RecordInput } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import type { Script } from '../src/client/script.ts';
import { RedisStore } from '../src/index.ts';
import { COMMIT, DISCARD, STAGE } from '../src/lua/records/staging.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { readIndex } from './read-index.ts';

const shared = sharedRedis();

const createdAt = '2025-01-02T03:04:05.678Z';

/** More than one slice: 900 records of about 12 words, in conversations. */
const BATCH: readonly RecordInput[] = Array.from({ length: 900 }, (_, n) => ({
  id: `new ${n}`,
  content: `heron ${n} saw a crane and a plover near bridge ${n % 7} in winter`,
  turn: { thread: `talk ${n % 3}`, index: n, speaker: n % 2 === 0 ? 'Ada' : 'Ben' },
  createdAt,
}));

/** A client that calls `before` before each script; it can throw. */
function watched(before: (script: Script | undefined) => unknown): RedisClient {
  const call =
    (method: 'call' | 'callBuffer') =>
    async (command: string, values: ScriptArgument[]): Promise<unknown> => {
      const script = [STAGE, COMMIT, DISCARD].find(({ sha, lua }) => values[0] === sha || values[0] === lua);
      await before(script);
      return shared.client[method](command, values);
    };
  return { call: call('call'), callBuffer: call('callBuffer') };
}

/** A namespace with two old records, and stores of two processes on it. */
async function place(before: (script: Script | undefined) => unknown = () => {}) {
  const keyPrefix = freshPrefix();
  const own = new RedisStore({ client: watched(before), keyPrefix, name: 'memory' });
  const other = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
  await other.putMany([
    { id: 'old 1', content: 'An old heron', turn: { thread: 'talk 1', index: 1_000, speaker: 'Ada' }, createdAt },
    { id: 'old 2', content: 'An old stork' },
  ]);
  return { own, other, keys: storeKeys(keyPrefix, []) };
}

const idsOf = (found: readonly { readonly id?: string }[]) => found.map(({ id }) => id);

async function index(keys: ReturnType<typeof storeKeys>) {
  return readIndex(shared.client, keys);
}

/** The index of a namespace in which each record was put alone. */
async function expectedIndex() {
  const { other, keys } = await place();
  for (const record of BATCH) await other.put(record);
  return index(keys);
}

/** Stops the process of a batch before its `n`th slice, and lets the time for the slice pass. */
async function abandon(n: number) {
  let slices = 0;
  const stopped = await place((script) => {
    if (script === STAGE && ++slices === n) throw new Error('The process has stopped.');
  });
  await expect(stopped.own.putMany(BATCH)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  const entry = (await shared.client.hget(stopped.keys.stats, 'staged')) ?? '';
  await shared.client.hset(stopped.keys.stats, 'staged', entry.replace(/\d+$/, '1'));
  return stopped;
}

async function expectOnlyOld(store: RedisStore): Promise<void> {
  expect(idsOf((await store.list({ order: 'oldest' })).items)).toEqual(['old 1', 'old 2']);
  expect(idsOf((await store.list()).items)).toEqual(['old 2', 'old 1']);
  expect(idsOf((await store.list({ idPrefix: 'new' })).items)).toEqual([]);
  expect(await store.get('new 0')).toBeUndefined();
  expect(idsOf(await store.search('crane heron'))).toEqual(['old 1']);
  expect(idsOf(await store.search('crane', { filter: { none: { exists: false } } }))).toEqual([]);
  expect(idsOf(await store.search('heron', { descendants: true }))).toEqual(['old 1']);
}

describe('a large batch', () => {
  it('is put in slices, and makes the same index as single puts', async () => {
    const slices: number[] = [];
    const { own, keys } = await place((script) => slices.push(script === STAGE ? 1 : 0));
    const put = await own.putMany(BATCH);
    expect(slices.filter((one) => one === 1).length).toBeGreaterThanOrEqual(4);
    expect(put).toHaveLength(900);
    expect(await own.get('new 899')).toEqual(put[899]);
    expect(idsOf((await own.list({ order: 'oldest', limit: 1_000 })).items)).toEqual([
      'old 1',
      'old 2',
      ...BATCH.map(({ id }) => id),
    ]);
    expect(await index(keys)).toEqual(await expectedIndex());
    const fields = await shared.client.hkeys(keys.stats);
    expect(fields.filter((name) => name.startsWith('staged'))).toEqual([]);
  });

  it('is invisible to get, list and search until all of it is there', async () => {
    let checks = 0;
    const { own, other } = await place(async (script) => {
      if (script !== STAGE && script !== COMMIT) return;
      await expectOnlyOld(other);
      checks++;
    });
    await own.putMany(BATCH);
    expect(checks).toBeGreaterThanOrEqual(4);
    expect((await other.search('crane', { maxSearchResults: 1_000 })).length).toBeGreaterThan(0);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(902);
  });

  it('makes other puts into the namespace wait, but no deletions', async () => {
    let late: Promise<unknown> | undefined;
    let slices = 0;
    const { own, other } = await place(async (script) => {
      if (script !== STAGE || ++slices !== 2) return;
      late = other.put({ id: 'late', content: 'A late heron' });
      expect(await other.delete('old 2')).toBe(true);
    });
    await own.putMany(BATCH);
    await late;
    const ids = idsOf((await other.list({ order: 'oldest', limit: 1_000 })).items);
    expect(ids).toEqual(['old 1', ...BATCH.map(({ id }) => id), 'late']);
  });

  it('of two at once, both are stored, one after the other', async () => {
    const { own, other } = await place();
    const second = BATCH.map((record) => ({ ...record, id: `second ${record.id}` }));
    await Promise.all([own.putMany(BATCH), other.putMany(second)]);
    const ids = idsOf((await other.list({ order: 'oldest', limit: 1_000 })).items);
    const rest = idsOf((await other.list({ limit: 1_000 })).items);
    expect(new Set([...ids, ...rest]).size).toBe(1_802);
    expect(new Set(ids.slice(2, 902).map((id) => id?.startsWith('second'))).size).toBe(1);
  });

  it('begins again if the namespace is cleared in between', async () => {
    let slices = 0;
    const { own, other, keys } = await place(async (script) => {
      if (script === STAGE && ++slices === 3) await other.clear();
    });
    await own.putMany(BATCH);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(900);
    expect((await index(keys)).counted.records).toBe('900');
  });

  it('replaces a record that is there, as a small batch does', async () => {
    const { own, other } = await place();
    await other.put({ id: 'new 899', content: 'An earlier heron' });
    const put = await own.putMany(BATCH);
    expect(put[899]?.version).toBe(2);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(902);
    expect(await other.search('earlier')).toEqual([]);
  });

  it('is invisible if its process stops, and the next put discards all of it', async () => {
    const { other, keys } = await abandon(3);
    await expectOnlyOld(other);
    expect(JSON.stringify(await shared.client.hgetall(keys.records))).toContain('plover');
    await other.put({ id: 'next', content: 'The next heron' });
    expect(idsOf((await other.list({ order: 'oldest' })).items)).toEqual(['old 1', 'old 2', 'next']);
    expect(JSON.stringify(await shared.client.hgetall(keys.records))).not.toContain('plover');
    const fresh = await place();
    await fresh.other.put({ id: 'next', content: 'The next heron' });
    expect(await index(keys)).toEqual(await index(fresh.keys));
  });

  it('is removed from storage by compact() and clear() if its process has stopped', async () => {
    const compacted = await abandon(2);
    await compacted.other.compact();
    expect(await index(compacted.keys)).toEqual(await index((await place()).keys));
    const cleared = await abandon(2);
    expect(await cleared.other.clear()).toBe(2);
    expect(await shared.client.exists(cleared.keys.records, cleared.keys.stats)).toBe(0);
  });

  it('into an empty namespace is invisible and can be discarded', async () => {
    const { own, other, keys } = await abandon(3);
    await other.delete('old 1');
    await other.delete('old 2');
    expect((await other.list()).items).toEqual([]);
    expect(await other.search('heron')).toEqual([]);
    await other.compact();
    expect(await shared.client.exists(keys.records, keys.ids, keys.terms, keys.threads, keys.speakers)).toBe(0);
    await own.putMany(BATCH);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(900);
  });
});
