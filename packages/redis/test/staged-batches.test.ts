import type { RecordInput } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import type { Script } from '../src/client/script.ts';
import { RedisStore } from '../src/index.ts';
import { PUT } from '../src/lua/records/put-records.ts';
import { APPLY, COMMIT, DISCARD, STAGE } from '../src/lua/records/staging.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { readIndex } from './read-index.ts';

const shared = sharedRedis();

const NIGHTLY = { tags: ['nightly'] };

const createdAt = '2025-01-02T03:04:05.678Z';

/** More than one slice: 400 records of about 12 words, in conversations. */
const BATCH: readonly RecordInput[] = Array.from({ length: 400 }, (_, n) => ({
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
      const script = [STAGE, COMMIT, APPLY, DISCARD, PUT].find(
        ({ sha, lua }) => values[0] === sha || values[0] === lua,
      );
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
  it('is put in slices, and makes the same index as single puts', NIGHTLY, async () => {
    const slices: number[] = [];
    const { own, keys } = await place((script) => slices.push(script === STAGE ? 1 : 0));
    const put = await own.putMany(BATCH);
    expect(slices.filter((one) => one === 1).length).toBeGreaterThanOrEqual(4);
    expect(put).toHaveLength(400);
    expect(await own.get('new 399')).toEqual(put[399]);
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
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(402);
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
    expect(new Set([...ids, ...rest]).size).toBe(802);
    expect(new Set(ids.slice(2, 402).map((id) => id?.startsWith('second'))).size).toBe(1);
  });

  it('begins again if the namespace is cleared in between', async () => {
    let slices = 0;
    const { own, other, keys } = await place(async (script) => {
      if (script === STAGE && ++slices === 3) await other.clear();
    });
    await own.putMany(BATCH);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(400);
    expect((await index(keys)).counted.records).toBe('400');
  });

  it('replaces a record that is there, as a small batch does', async () => {
    const { own, other } = await place();
    await other.put({ id: 'new 399', content: 'An earlier heron' });
    const put = await own.putMany(BATCH);
    expect(put[399]?.version).toBe(2);
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(402);
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
    expect(await shared.client.exists(cleared.keys.records, cleared.keys.pending)).toBe(0);
    expect(Object.keys(await shared.client.hgetall(cleared.keys.stats)).sort()).toEqual(['base', 'next']);
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
    expect((await other.list({ limit: 1_000 })).items).toHaveLength(400);
  });
});

/** Two versions of records that replace one another: of 300 ids, with lifetimes, vectors and ids that come twice. */
const version = (word: string): RecordInput[] =>
  Array.from({ length: 350 }, (_, n) => ({
    id: `bird ${n % 300}`,
    content: `${word} ${n} saw a crane and a plover near bridge ${n % 7} in ${word === 'heron' ? 'winter' : 'spring'}`,
    metadata: { word },
    createdAt,
    turn: { thread: `talk ${n % 3}`, index: n % 300, speaker: n % 2 === 0 ? 'Ada' : 'Ben' },
    ...(n % 5 === 0 ? { ttlMs: 3_600_000 } : {}),
  }));
const [OLD, NEW] = [version('heron'), version('stork')];

/** A namespace with the old version of all records, and stores of two processes on it. */
async function replaced(before: (script: Script | undefined) => unknown) {
  const keyPrefix = freshPrefix();
  const options = { keyPrefix, name: 'memory', embedder: fakeEmbedder };
  const own = new RedisStore({ client: watched(before), ...options });
  const other = new RedisStore({ client: shared.client, ...options });
  await other.put({ id: 'first', content: 'An old heron' });
  await other.putMany(OLD.slice(0, 320));
  const words = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
  return { own, other, words, keys: storeKeys(keyPrefix, []) };
}

async function recordsOf(store: RedisStore) {
  const { items } = await store.list({ order: 'oldest', limit: 1_000 });
  return items.map(({ id, content, version, expiresAt }) => [id, content, version, expiresAt !== undefined]);
}

describe('a large batch that replaces records', () => {
  const none = () => {};

  it('is put in slices, and makes the same records and index as single puts', async () => {
    const scripts: (Script | undefined)[] = [];
    const batch = await replaced((script) => scripts.push(script));
    scripts.length = 0;
    const before = await batch.own.get('bird 7');
    const put = await batch.own.putMany(NEW);
    expect(scripts).not.toContain(PUT);
    expect(scripts.filter((script) => script === STAGE).length).toBeGreaterThanOrEqual(4);
    expect(scripts.filter((script) => script === APPLY).length).toBeGreaterThanOrEqual(4);
    const single = await replaced(none);
    for (const record of NEW) await single.own.put(record);
    expect(await recordsOf(batch.own)).toEqual(await recordsOf(single.own));
    expect(await index(batch.keys)).toEqual(await index(single.keys));
    expect(await shared.client.exists(batch.keys.pending)).toBe(0);
    expect(await batch.own.get('bird 7')).toEqual(put[307]);
    expect([put[7]?.version, put[307]?.version]).toEqual([before?.version].flatMap((n = 0) => [n + 1, n + 2]));
    expect(put[307]?.createdAt).toBe(before?.createdAt);
    const found = async ({ own }: typeof batch) => idsOf(await own.search('stork spring', { maxSearchResults: 30 }));
    expect(await found(batch)).toEqual(await found(single));
    expect(await batch.own.delete('first')).toBe(true);
    // All others expire or not as before.
    expect(await shared.client.zcard(batch.keys.expiry)).toBe(await shared.client.zcard(single.keys.expiry));
  });

  it('of new records with lifetimes, vectors and ids that come twice is put in slices', NIGHTLY, async () => {
    const scripts: (Script | undefined)[] = [];
    const keyPrefix = freshPrefix();
    const store = new RedisStore({
      client: watched((script) => scripts.push(script)),
      keyPrefix,
      name: 'memory',
      embedder: fakeEmbedder,
    });
    const put = await store.putMany(OLD);
    expect(scripts).not.toContain(PUT);
    expect(put.map(({ version }) => version)).toEqual(OLD.map((_, n) => (n < 300 ? 1 : 2)));
    const single = new RedisStore({
      client: shared.client,
      keyPrefix: `${keyPrefix}2`,
      name: 'm',
      embedder: fakeEmbedder,
    });
    for (const record of OLD) await single.put(record);
    expect(await recordsOf(store)).toEqual(await recordsOf(single));
    expect(await index(storeKeys(keyPrefix, []))).toEqual(await index(storeKeys(`${keyPrefix}2`, [])));
  });

  it('appears at once to get, list and search', async () => {
    const seen = new Set<string>();
    const { own, other } = await replaced(async (script) => {
      if (script === PUT || script === undefined) return;
      const page = await other.list({ limit: 1_000, filter: { word: 'stork' } });
      const [first, last] = await Promise.all([other.get('bird 0'), other.get('bird 299')]);
      const words = [first, last].map((record) => record?.metadata.word);
      seen.add(`${script === APPLY ? 'after' : 'before'} ${page.items.length} ${words}`);
    });
    await own.putMany(NEW);
    expect([...seen].sort()).toEqual(['after 300 stork,stork', 'before 0 heron,heron']);
  });

  it('makes searches wait while it is put into the index', NIGHTLY, async () => {
    const found: Promise<number[]>[] = [];
    const { own, words } = await replaced((script) => {
      if (script === PUT || script === undefined) return;
      const search = (query: string, descendants: boolean) =>
        words.search(query, { maxSearchResults: 1_000, filter: { word: query }, descendants });
      const both = ['heron', 'stork'].flatMap((word) => [search(word, false), search(word, true)]);
      found.push(Promise.all(both).then((hits) => hits.map(({ length }) => length)));
    });
    await own.putMany(NEW);
    const counts = await Promise.all(found);
    expect(counts.length).toBeGreaterThan(8);
    for (const [old, oldBelow, current, currentBelow] of counts) {
      expect([0, 300]).toContain(old);
      expect([0, 300]).toContain(oldBelow);
      expect([0, 300]).toContain(current);
      expect([0, 300]).toContain(currentBelow);
    }
    expect((await words.search('heron')).map(({ id }) => id)).toEqual(['first']);
  });

  it.each(['search', 'put', 'delete', 'compact'] as const)(
    'is finished by the next %s of another process if its own stops after the commit',
    async (by) => {
      let slices = 0;
      const { own, other, words, keys } = await replaced((script) => {
        if (script === APPLY && ++slices > 2) throw new Error('The process has stopped.');
      });
      const put = await own.putMany(NEW);
      expect(await shared.client.hlen(keys.pending)).toBeGreaterThan(100);
      expect(await other.get('bird 299')).toEqual(put[299]);
      const entry = (await shared.client.hget(keys.stats, 'staged')) ?? '';
      await shared.client.hset(keys.stats, 'staged', entry.replace(/\d+$/, '1'));
      if (by === 'search') expect(await words.search('heron', { maxSearchResults: 9 })).toHaveLength(1);
      if (by === 'put') await other.put({ id: 'first', content: 'An old heron' });
      if (by === 'delete') expect(await other.delete('bird 3')).toBe(true);
      if (by === 'compact') await other.compact();
      expect(await shared.client.exists(keys.pending)).toBe(0);
      expect(await shared.client.hexists(keys.stats, 'staged')).toBe(0);
      expect((await other.list({ limit: 1_000, filter: { word: 'heron' } })).items).toEqual([]);
      expect((await words.search('stork', { maxSearchResults: 1_000 })).length).toBe(by === 'delete' ? 299 : 300);
    },
  );

  it('leaves all records as they were if its process stops before the commit', async () => {
    const { own, other, keys } = await replaced((script) => {
      if (script === COMMIT) throw new Error('The process has stopped.');
    });
    const before = [await recordsOf(other), await index(keys)];
    await expect(own.putMany(NEW)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const entry = (await shared.client.hget(keys.stats, 'staged')) ?? '';
    await shared.client.hset(keys.stats, 'staged', entry.replace(/\d+$/, '1'));
    expect(await recordsOf(other)).toEqual(before[0]);
    await other.compact();
    expect([await recordsOf(other), await index(keys)]).toEqual(before);
    expect(await shared.client.exists(keys.pending)).toBe(0);
  });

  it('puts a record again that was deleted meanwhile', async () => {
    let slices = 0;
    const { own, other } = await replaced(async (script) => {
      if (script === STAGE && ++slices === 5) expect(await other.delete('bird 0')).toBe(true);
    });
    const put = await own.putMany(NEW);
    expect([put[0]?.version, put[300]?.version]).toEqual([1, 2]);
    expect(await other.get('bird 0')).toEqual(put[300]);
    const { items } = await other.list({ order: 'oldest', limit: 1_000 });
    expect(items.map(({ id }) => id).at(-1)).toBe('bird 0');
    expect(items).toHaveLength(301);
  });
});
