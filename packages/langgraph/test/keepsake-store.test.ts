import { setTimeout } from 'node:timers/promises';
import type { RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions } from '@keepsake/testing';
import { emptyCheckpoint, type Operation } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeSaver, KeepsakeStore } from '../src/index.ts';
import type { RunningBackend } from './backends/backend.ts';
import { BACKENDS } from './backends/backends.ts';

describe.each(BACKENDS)('KeepsakeStore on $name', ({ start, partByDay }) => {
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  it('finds with another instance what one has put', async () => {
    const place = running.place();
    const value = { text: 'Likes green tea', tags: ['a', { deep: [null, 1.5] }], at: '2026-11-23', none: null };
    await new KeepsakeStore({ store: place.open() }).put(['users', 'alice'], 'tea', value);
    const store = new KeepsakeStore({ store: place.open() });
    expect(await store.get(['users', 'alice'], 'tea')).toEqual({
      ...{ namespace: ['users', 'alice'], key: 'tea', value },
      ...{ createdAt: expect.any(Date), updatedAt: expect.any(Date) },
    });
    expect(await store.listNamespaces()).toEqual([['users', 'alice']]);
  });

  it('ranks by a query, below a prefix, with a filter and pages', async () => {
    const store = new KeepsakeStore({ store: running.place().open(), fields: ['text', 'notes[*].body'] });
    const put = (namespace: string[], key: string, value: object) => store.put(namespace, key, { ...value });
    await put(['users', 'alice'], 'tea', { text: 'Alice likes green tea', kind: 'taste' });
    await put(['users', 'alice', 'work'], 'bag', { notes: [{ body: 'Tea bags for the office' }], kind: 'list' });
    await put(['users', 'bob'], 'tea', { text: 'Bob likes black tea', kind: 'taste' });
    await put(['users', 'alice'], 'secret', { text: 'Sleeps late', kind: 'tea' });
    await store.put(['users', 'alice'], 'hidden', { text: 'green tea' }, false);
    await store.put(['users', 'alice'], 'title', { text: 'Nothing', title: 'green tea' }, ['title']);
    const keys = async (prefix: string[], options: object) =>
      (await store.search(prefix, { query: 'green tea', ...options })).map(({ key }) => key);
    expect(new Set(await keys(['users', 'alice'], {}))).toEqual(new Set(['tea', 'title', 'bag']));
    expect((await keys(['users', 'alice'], {})).at(-1)).toBe('bag');
    expect(await keys(['users', 'alice'], { filter: { kind: 'list' }, limit: 1 })).toEqual(['bag']);
    expect(await keys(['users', 'alice'], { offset: 2 })).toEqual(['bag']);
    expect((await keys([], {})).sort()).toEqual(['bag', 'tea', 'tea', 'title']);
    const [best] = await store.search(['users', 'alice'], { query: 'green tea' });
    expect(best?.score).toBeGreaterThan(0);
  });

  it('never finds neighbours of which the name merely begins in the same way', async () => {
    const store = new KeepsakeStore({ store: running.place().open() });
    const names = ['acme', 'acme-corp', 'acm', 'acm_', 'acm%'];
    for (const name of names) await store.put(['tenant', name], 'note', { text: `The plan of ${name}` });
    await store.put(['tenant', 'acme', 'team'], 'note', { text: 'The plan of the team' });
    for (const options of [{}, { query: 'plan' }, { filter: {} }]) {
      const found = await store.search(['tenant', 'acme'], options);
      expect(found.map(({ namespace }) => namespace[2] ?? namespace[1]).sort()).toEqual(['acme', 'team']);
      expect(await store.search(['tenant', 'ac'], options)).toEqual([]);
    }
    expect(await store.listNamespaces({ prefix: ['tenant', 'acme'] })).toHaveLength(2);
    expect(await store.listNamespaces({ suffix: ['corp'] })).toEqual([]);
  });

  it('fills a page of a filtered search although most of the best entries do not pass', async () => {
    const store = new KeepsakeStore({ store: running.place().open(), fields: ['text'] });
    const put = (key: string, n: number): Operation => {
      return { namespace: ['notes'], key, value: { text: n < 60 ? 'tea tea tea' : 'some tea among other things', n } };
    };
    await store.batch(Array.from({ length: 64 }, (_, n) => put(`note ${n}`, n)));
    const found = await store.search(['notes'], { query: 'tea', filter: { n: { $gte: 60 } }, limit: 3 });
    expect(found.every(({ value }) => value.n >= 60)).toBe(true);
    expect(found).toHaveLength(3);
  });

  it('reads the state before the puts of its batch, and puts nothing if one operation is invalid', async () => {
    const store = new KeepsakeStore({ store: running.place().open() });
    await store.put(['a'], 'k', { n: 1 });
    const put = (value: object | null): Operation => ({ namespace: ['a'], key: 'k', value });
    const results = await store.batch([put({ n: 2 }), { namespace: ['a'], key: 'k' }, put(null), put({ n: 3 })]);
    expect(results).toMatchObject([null, { value: { n: 1 } }, null, null]);
    expect((await store.get(['a'], 'k'))?.value).toEqual({ n: 3 });
    for (const invalid of [{ n: Number.NaN }, { text: 'x'.repeat(2 ** 20) }, 'text'] as never[]) {
      const batch = store.batch([put({ n: 4 }), { namespace: ['b'], key: 'k', value: invalid }]);
      await expect(batch).rejects.toMatchObject({ code: expect.stringMatching(/INVALID_ARGUMENT|TOO_LARGE/) });
    }
    expect((await store.get(['a'], 'k'))?.value).toEqual({ n: 3 });
  });

  const large = partByDay ? { tags: ['nightly'] } : {};
  it('keeps values of up to 1 MiB, and finds them by words and by filter', large, async () => {
    const store = new KeepsakeStore({ store: running.place().open() });
    const values = [60_000, 65_300, 65_536, 200_000, 1_000_000].map((size) => ({
      size,
      text: 'tea '.repeat(size / 4 - 20),
    }));
    for (const value of values) await store.put(['large'], String(value.size), value);
    for (const value of values) expect((await store.get(['large'], String(value.size)))?.value).toEqual(value);
    const found = await store.search(['large'], { query: 'tea', filter: { size: { $gt: 100_000 } } });
    expect(new Set(found.map(({ key }) => key))).toEqual(new Set(['200000', '1000000']));
    await store.put(['large'], '60000', { $langgraph: 1, size: 0 });
    expect((await store.get(['large'], '60000'))?.value).toEqual({ $langgraph: 1, size: 0 });
  });

  it('shows what other agents remember in the same store, and nothing of the threads', async () => {
    const store = running.place().open();
    const langgraph = new KeepsakeStore({ store });
    await store.within(['users', 'alice']).add('Alice likes green tea', { topic: 'drinks' });
    await store.within(['users', 'a.b:c']).add('A namespace that LangGraph can not name');
    await store.add('Not in a namespace');
    const config = { configurable: { thread_id: 't' } };
    await new KeepsakeSaver({ store }).put(config, emptyCheckpoint(), { source: 'input', step: -1, parents: {} }, {});
    const values = [{ content: 'Alice likes green tea', topic: 'drinks' }];
    expect((await langgraph.search([])).map(({ value }) => value)).toEqual(values);
    expect((await langgraph.search([], { query: 'tea' })).map(({ value }) => value)).toEqual(values);
    expect(await langgraph.listNamespaces()).toEqual([['users', 'alice']]);
    const remembered = await store.within(['users']).search('tea', { descendants: true });
    expect(remembered.map(({ content }) => content)).toEqual(['Alice likes green tea']);
  });

  it('forgets an item at the end of its lifetime, which a read starts again', async () => {
    const place = running.place();
    const records = place.open().within(['a']);
    const store = new KeepsakeStore({ store: place.open(), ttlMs: HOUR_MS });
    const keys = ['read', 'searched', 'unread'];
    for (const key of keys) await store.put(['a'], key, { text: 'tea' });
    await store.put(['a'], 'longer', { text: 'car' }, undefined, { ttlMs: 3 * HOUR_MS });
    await store.put(['a'], 'short', { text: 'tea' }, undefined, { ttlMs: 1 });
    const endOf = async (key: string) => Date.parse((await records.get(key))?.expiresAt ?? '');
    const endsOf = async () => Promise.all([...keys, 'longer'].map(endOf));
    const [read, searched, unread, longer] = (await endsOf()) as [number, number, number, number];
    expect(longer - read).toBeGreaterThan(HOUR_MS);
    const first = await store.get(['a'], 'read', { refreshTtl: false });
    // For lifetimes that start later than these.
    await setTimeout(5);
    expect(await store.get(['a'], 'read')).toEqual(first);
    await store.search(['a'], { query: 'tea', filter: { text: 'tea' }, limit: 10, refreshTtl: false });
    await store.get(['a'], 'unread', { refreshTtl: false });
    await new KeepsakeStore({ store: place.open(), refreshOnRead: false }).get(['a'], 'unread');
    await searchFor(store, 'searched');
    expect(await endsOf()).toEqual([expect.toSatisfy(after(read)), expect.toSatisfy(after(searched)), unread, longer]);
    expect((await store.get(['a'], 'read'))?.updatedAt).toEqual(first?.updatedAt);
    await expect.poll(() => store.get(['a'], 'short')).toBeNull();
    const left = (await store.search(['a'])).map(({ key }) => key);
    expect(left).toEqual([...keys, 'longer']);
    expect((await store.get(['a'], 'longer'))?.value).toEqual({ text: 'car' });
  });
});

const HOUR_MS = 3_600_000;

const after = (time: number) => (other: number) => other > time;

/** Finds one item by its position, which starts the lifetime of only that one. */
async function searchFor(store: KeepsakeStore, key: string): Promise<void> {
  const all = await store.search(['a'], { refreshTtl: false });
  const offset = all.findIndex((item) => item.key === key);
  expect(await store.search(['a'], { offset, limit: 1 })).toMatchObject([{ key }]);
}

describe('KeepsakeStore', () => {
  const records = new InMemoryStore({ name: 'memory' });
  const store = new KeepsakeStore({ store: records });

  it.each([
    ['a label with a period', ['a.b']],
    ['a label with a colon', ['a:b']],
    ['an empty label', ['']],
    ['an empty namespace', []],
    ['the reserved root', ['langgraph']],
  ])('refuses to put under %s, like the stores of LangGraph', async (_, namespace) => {
    await expect(store.put(namespace, 'k', { n: 1 })).rejects.toThrow(/amespace/);
  });

  it.each<[string, Operation]>([
    ['an empty key', { namespace: ['a'], key: '', value: { n: 1 } }],
    ['a value that is a list', { namespace: ['a'], key: 'k', value: [] }],
    ['a negative limit', { namespacePrefix: ['a'], limit: -1 }],
    ['an offset that is not whole', { namespacePrefix: ['a'], offset: 0.5 }],
    ['a list operator without a list', { namespacePrefix: ['a'], filter: { n: { $in: 1 } } }],
    ['an unknown match type', { matchConditions: [{ matchType: 'infix' as never, path: ['a'] }], limit: 1, offset: 0 }],
  ])('refuses %s', async (_, operation) => {
    await expect(store.batch([operation])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('refuses writes if its store is read-only', async () => {
    const reader = new KeepsakeStore({ store: records.within([], { writable: false }) });
    await expect(reader.put(['a'], 'k', { n: 1 })).rejects.toMatchObject({ code: 'READ_ONLY' });
    await expect(reader.delete(['a'], 'k')).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(await reader.get(['a'], 'k')).toBeNull();
  });

  it('opens a namespace once, because a store in files reads all of it then', async () => {
    const opened: string[] = [];
    const watched = Object.assign(Object.create(records), {
      within(segments: readonly string[]) {
        opened.push(segments.join());
        return records.within(segments);
      },
    });
    const store = new KeepsakeStore({ store: watched as RecordStore });
    for (let n = 0; n < 5; n++) {
      await store.put(['a', 'b'], `k${n}`, { n });
      await store.get(['a', 'b'], `k${n}`);
      await store.search(['a'], { query: 'n' });
      await store.search(['a'], { filter: { n } });
    }
    expect(opened.sort()).toEqual(['a', 'a,b']);
  });

  it('refuses stores that can not list', () => {
    const hosted = Object.assign(Object.create(records), {
      capabilities: { ...records.capabilities, enumerate: false },
    });
    expect(() => new KeepsakeStore({ store: hosted as RecordStore })).toThrow('can list');
    expect(() => new KeepsakeStore({} as never)).toThrow('`store` is missing');
  });

  it.each([
    ['$', ['{"a":{"b":[1,"x"]}}']],
    ['a.b[0]', ['1']],
    ['a.b[-1]', ['x']],
    ['a.b[*]', ['1', 'x']],
    ['a.*', ['[1,"x"]']],
    ['{a.b,c}', ['[1,"x"]']],
    ['a.b[5]', []],
    ['c.d', []],
    ['a.constructor', []],
  ])('searches the texts at the path %s', async (path, texts) => {
    const inner = new InMemoryStore({ name: 'memory' });
    await new KeepsakeStore({ store: inner, fields: [path] }).put(['a'], 'k', { a: { b: [1, 'x'] } });
    const record = await inner.within(['a']).get('k');
    expect(record?.index).toBe(texts.length > 0);
    if (texts.length > 0) expect(record?.content).toBe(texts.join('\n'));
  });

  refusesUnknownOptions([
    ['KeepsakeStore', (options) => new KeepsakeStore(options), { store: records, ttlMS: 1 }, 'ttlMs'],
    ['get', (options) => store.get(['a'], 'k', options), { refreshTTL: true }, 'refreshTtl'],
    ['put', (options) => store.put(['a'], 'k', {}, false, options), { ttlms: 1 }, 'ttlMs'],
    ['search', (options) => store.search(['a'], options), { filters: {} }, 'filter'],
  ]);
});
