import type { ListedMemory, ListOptions, MemoryListOptions, MemoryManager, MemoryStore } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf } from '../extraction/support.ts';
import { contentsOf } from './support.ts';

/** A time after `minutes`. */
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();

/** Stores of records with a number each, in turns: the first has 0, 3, 6 …; created one after the other. */
async function storesOf(count: number, numberOf: (store: number, index: number) => number | undefined) {
  const stores = Array.from({ length: count }, (_, index) => new InMemoryStore({ name: `store ${index}` }));
  for (const [index, store] of stores.entries()) {
    for (let position = 0; ; position++) {
      const number = numberOf(index, position);
      if (number === undefined) break;
      await store.put({ id: `${number}`, content: `Number ${number}`, metadata: { number }, createdAt: at(number) });
    }
  }
  return stores;
}

async function pagesOf(memory: MemoryManager, options: MemoryListOptions): Promise<(readonly ListedMemory[])[]> {
  const pages: (readonly ListedMemory[])[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await memory.list({ ...options, ...(cursor !== undefined && { cursor }) });
    pages.push(page.items);
    cursor = page.cursor;
    if (cursor === undefined) return pages;
  }
}

const numbersOf = (items: readonly ListedMemory[]) => items.map(({ metadata }) => metadata.number);
const descending = (count: number) => Array.from({ length: count }, (_, index) => count - 1 - index);

describe('list', () => {
  it('merges the records of two stores, newest first, with their stores', async () => {
    const stores = await storesOf(2, (store, index) => (index < 2 ? index * 2 + store : undefined));
    const { memory } = managerOf({ stores });
    const { items, cursor } = await memory.list();
    expect(cursor).toBeUndefined();
    expect(items.map(({ id, content, storeName, version }) => ({ id, content, storeName, version }))).toEqual([
      { id: '3', content: 'Number 3', storeName: 'store 1', version: putTimes(1) },
      { id: '2', content: 'Number 2', storeName: 'store 0', version: putTimes(1) },
      { id: '1', content: 'Number 1', storeName: 'store 1', version: putTimes(1) },
      { id: '0', content: 'Number 0', storeName: 'store 0', version: putTimes(1) },
    ]);
  });

  it.each([1, 2, 3, 7, 10, 29, 30, 1_000])('returns each record once in pages of %i', async (limit) => {
    // 0 to 9 in the first, every other one of 10 to 29 in the others, and one empty store.
    const stores = await storesOf(4, (store, index) => {
      if (index === 10 || store === 3) return undefined;
      return store === 0 ? index : 10 + index * 2 + (store - 1);
    });
    const { memory } = managerOf({ stores });
    const pages = await pagesOf(memory, { limit });
    expect(pages.flatMap(numbersOf)).toEqual(descending(30));
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  });

  it('neither repeats nor skips a record when listed ones are forgotten between pages', async () => {
    const stores = await storesOf(3, (store, index) => (index < 10 ? index * 3 + store : undefined));
    const { memory } = managerOf({ stores });
    const seen: unknown[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await memory.list({ limit: 4, ...(cursor !== undefined && { cursor }) });
      seen.push(...numbersOf(page.items));
      await memory.forget({ ids: page.items.filter((_, index) => index % 2 === 0) });
      cursor = page.cursor;
    }
    expect(seen).toEqual(descending(30));
    expect((await memory.list()).items).toHaveLength(15);
  });

  it('neither repeats nor skips a record when one vanishes while a page is read', async () => {
    const stores = await storesOf(2, (store, index) => (index < 10 ? index * 2 + store : undefined));
    const [first] = stores as [InMemoryStore];
    let calls = 0;
    const list = first.list.bind(first);
    first.list = async (options?: ListOptions) => {
      const page = await list(options);
      if (++calls === 1) await first.delete(page.items[0]?.id as string);
      return page;
    };
    const pages = await pagesOf(managerOf({ stores }).memory, { limit: 4 });
    const numbers = pages.flatMap(numbersOf).sort((a, b) => Number(b) - Number(a));
    expect(numbers).toEqual(descending(20).filter((number) => number !== 18));
  });

  it('keeps the order of each store, though an import has older times', async () => {
    const store = new InMemoryStore({ name: 'a' });
    for (const [id, minutes] of [
      ['1', 5],
      ['2', 9],
      ['3', 2],
    ] as const) {
      await store.put({ id, content: id, createdAt: at(minutes) });
    }
    const other = new InMemoryStore({ name: 'b' });
    await other.put({ id: '4', content: '4', createdAt: at(4) });
    const { memory } = managerOf({ stores: [store, other] });
    const all = (await memory.list()).items.map(({ id }) => id);
    expect(all.filter((id) => id !== '4')).toEqual(['3', '2', '1']);
    expect((await pagesOf(memory, { limit: 1 })).flat().map(({ id }) => id)).toEqual(all);
  });

  it('lists the stores that are named, and the records that pass the filter', async () => {
    const stores = await storesOf(3, (store, index) => (index < 4 ? index * 3 + store : undefined));
    const { memory } = managerOf({ stores });
    const named = { stores: ['store 2', 'store 0'], filter: { number: { gte: 5 } } };
    const pages = await pagesOf(memory, { ...named, limit: 2 });
    expect(pages.flatMap(numbersOf)).toEqual([11, 9, 8, 6, 5]);
    expect(await memory.list({ stores: [] })).toEqual({ items: [] });
  });

  it('lists the stores that can list, and refuses to list others by name', async () => {
    const plain: MemoryStore = { name: 'plain', writable: false, search: async () => [] };
    const [store] = (await storesOf(1, (_, index) => (index < 1 ? index : undefined))) as [InMemoryStore];
    const { memory } = managerOf({ stores: [plain, store] });
    expect(contentsOf((await memory.list()).items)).toEqual(['Number 0']);
    await expect(memory.list({ stores: ['plain'] })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: 'Store "plain" can\'t list its records. These can: "store 0".',
    });
    await expect(managerOf({ stores: [plain] }).memory.list()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: 'No store can list its records. These can: none.',
    });
  });

  it('fails if a store fails or hangs, because a part would look like the whole', async () => {
    const works = new InMemoryStore({ name: 'works' });
    const breaks = new InMemoryStore({ name: 'breaks' });
    breaks.list = () => Promise.reject(new TypeError('secret'));
    const hangs = new InMemoryStore({ name: 'hangs' });
    hangs.list = () => new Promise(() => {});
    const stores = [works, breaks, hangs];
    const broken = await managerOf({ stores })
      .memory.list({ stores: ['works', 'breaks'] })
      .catch((error) => error);
    expect(broken).toMatchObject({ code: 'BACKEND', message: expect.stringMatching(/"breaks".*\(TypeError\)/) });
    expect(broken.message).not.toMatch(/secret/);
    const { memory } = managerOf({ stores, search: { deadlineMs: 500 } });
    await expect(memory.list({ stores: ['works', 'hangs'] })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(/"hangs"/),
    });
    const control = new AbortController();
    const list = memory.list({ stores: ['hangs'], signal: control.signal });
    control.abort();
    await expect(list).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('keeps the order if a page of a store is short or empty', async () => {
    const [store, other] = (await storesOf(2, (store, index) => (index < 8 ? index + store / 2 : undefined))) as [
      InMemoryStore,
      InMemoryStore,
    ];
    const list = store.list.bind(store);
    // As of a backend that filters after it has read a page.
    store.list = async (options: ListOptions = {}) => {
      const page = await list({ ...options, limit: 1 });
      return { ...page, items: page.items.filter(({ id }) => Number(id) % 2 === 0) };
    };
    const pages = await pagesOf(managerOf({ stores: [store, other] }).memory, { limit: 3 });
    expect(pages.flatMap(numbersOf)).toEqual([7.5, 6.5, 6, 5.5, 4.5, 4, 3.5, 2.5, 2, 1.5, 0.5, 0]);
  });

  it.each<[what: string, options: object, message: RegExp]>([
    ['a limit of 0', { limit: 0 }, /limit/],
    ['a limit of 1,001', { limit: 1_001 }, /limit/],
    ['a cursor of something else', { cursor: 'x' }, /cursor/],
    ['an unknown store', { stores: ['nope'] }, /Unknown stores: "nope"/],
    ['an invalid filter', { filter: { a: { near: 1 } } }, /filter\.<field 1>/],
    ['an unknown field', { order: 'oldest' }, /Unknown option `order`/],
  ])('refuses %s', async (_, options, message) => {
    const { memory } = managerOf({ stores: [new InMemoryStore({ name: 'a' })] });
    await expect(memory.list(options)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
  });

  it('refuses the cursor of other stores', async () => {
    const stores = await storesOf(3, (store, index) => (index < 4 ? index * 3 + store : undefined));
    const { memory } = managerOf({ stores });
    const { cursor } = await memory.list({ stores: ['store 0', 'store 1'], limit: 2 });
    for (const names of [['store 0', 'store 2'], ['store 0'], undefined]) {
      await expect(memory.list({ stores: names, cursor, limit: 2 })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    }
  });
});
