import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useDirectory } from '@keepsake/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { watchCalls } from './children/watch-calls.ts';
import { filesBelow, makeOld, rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const opened: string[] = [];
const unwatch = watchCalls(({ name }) => {
  if (name === 'openSync') opened.push(name);
  return undefined;
});
afterAll(unwatch);
// Imported after the calls are watched.
const { FileStore } = await import('../src/index.ts');
const { memoryFolder, namespaceFolder } = await import('../src/disk/file-names.ts');

const place = useDirectory();

/** How many namespaces must be read before the list is saved. */
const MANY = 100;

function openStore(onCorrupt: (report: { from: number; to: number }) => void = () => {}) {
  return new FileStore({ directory: place.path, name: 'test', durability: 'os', onCorrupt });
}

type Store = ReturnType<typeof openStore>;

async function add(store: Store, ...names: string[]): Promise<void> {
  for (const name of names) await store.within([name]).put({ id: 'a', content: `A record of ${name}` });
}

async function countsOf(store: Store): Promise<Record<string, number>> {
  const { items } = await store.namespaces({ limit: 1_000 });
  return Object.fromEntries(items.map(({ namespace, recordCount }) => [namespace.join('/'), recordCount]));
}

const age = () => makeOld(memoryFolder(place.path));

const index = () => join(memoryFolder(place.path), '.index');

const template = temporaryDirectory();
afterAll(template.remove);

/** Many namespaces with one record each, which take long to create. */
async function addMany(): Promise<string[]> {
  const names = Array.from({ length: MANY }, (_, n) => `n${n}`);
  if (readdirSync(template.path).length === 0) {
    await add(openStore(), ...names);
    cpSync(place.path, template.path, { recursive: true });
  } else cpSync(template.path, place.path, { recursive: true });
  age();
  return names;
}

/** Many namespaces with one record each, and a saved list of them. */
async function manyNamespaces(): Promise<string[]> {
  const names = await addMany();
  await countsOf(openStore());
  expect(rawScan(index()).match(/\["n\d+"\],\d{13}/g)).toHaveLength(MANY);
  return names;
}

function logOf(...namespace: string[]): string {
  const folder = namespaceFolder(place.path, namespace);
  const [log] = readdirSync(folder).filter((name) => name.startsWith('log-'));
  return join(folder, log as string);
}

describe('listing namespaces', () => {
  it('reads no log again in the next process, nor on the next page', async () => {
    const names = await manyNamespaces();
    // Nobody would recognise these logs now.
    for (const name of names.slice(1)) writeFileSync(logOf(name), '');
    const reports: object[] = [];
    const store = openStore((report) => reports.push(report));

    expect(Object.keys(await countsOf(store))).toHaveLength(MANY);
    opened.length = 0;
    const page = await store.namespaces({ limit: 10 });
    expect(page.items).toHaveLength(10);
    expect((await store.namespaces({ limit: 10, cursor: page.cursor })).items).toHaveLength(10);
    expect(opened).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('shows what other stores create, change and remove', async () => {
    const names = await manyNamespaces();
    const [store, other] = [openStore(), openStore()];
    await countsOf(store);

    await add(other, 'new');
    await other.within(['n7']).put({ id: 'b', content: 'Another record' });
    await other.within(['n8']).delete('a');
    await other.within(['n9']).clear();
    const expected = { ...Object.fromEntries(names.map((name) => [name, 1])), n7: 2, new: 1 } as Record<string, number>;
    delete expected.n8;
    delete expected.n9;

    for (const one of [store, other, openStore()]) expect(await countsOf(one)).toEqual(expected);
  });

  it('shows a namespace that was removed and created again', async () => {
    await manyNamespaces();
    const [store, other] = [openStore(), openStore()];
    await countsOf(store);
    await other.within(['n5']).clear();
    await other.within(['n5']).putMany([
      { id: 'x', content: 'x' },
      { id: 'y', content: 'y' },
    ]);

    expect((await countsOf(store)).n5).toBe(2);
    expect((await countsOf(openStore())).n5).toBe(2);
  });

  it('counts no record that has expired since the list was saved', async () => {
    await addMany();
    await openStore().within(['n3']).put({ id: 'short', content: 'Gone soon', ttlMs: 300 });
    age();
    const store = openStore();
    const before = await countsOf(store);
    await sleep(400);

    expect([1, 2]).toContain(before.n3);
    expect((await countsOf(store)).n3).toBe(1);
    expect((await countsOf(openStore())).n3).toBe(1);
  });

  it('notices folders that are moved by hand', async () => {
    await manyNamespaces();
    const store = openStore();
    await countsOf(store);
    rmSync(namespaceFolder(place.path, ['n4']), { recursive: true });

    expect(await countsOf(store)).not.toHaveProperty('n4');
  });

  it('shows a namespace that nothing had identified, after it was restored', async () => {
    await add(openStore(), 'a', 'b');
    const folder = namespaceFolder(place.path, ['a']);
    const files = filesBelow(folder).map((path) => ({ path, bytes: readFileSync(path) }));
    for (const { path, bytes } of files) writeFileSync(path, bytes.toString('latin1').replaceAll('"', '#'), 'latin1');
    rmSync(index(), { recursive: true });
    const store = openStore();
    expect(await countsOf(store)).toEqual({ b: 1 });
    expect(await store.unidentified()).toBe(1);
    for (const { path, bytes } of files) writeFileSync(path, bytes);
    expect(await countsOf(store)).toEqual({ a: 1, b: 1 });
    expect(await store.unidentified()).toBe(0);
  });

  it('shows a namespace that has lost its log with those that are empty, so that it can be erased', async () => {
    await add(openStore(), 'a', 'b');
    rmSync(logOf('a'));
    writeFileSync(join(namespaceFolder(place.path, ['a']), 'index-1-00'), 'A record of a');
    const store = openStore();
    expect(await countsOf(store)).toEqual({ b: 1 });
    const all = await store.namespaces({ empty: true, segment: 'a' });
    expect(all.items).toEqual([{ namespace: ['a'], recordCount: 0 }]);
    await store.within(['a']).clear();
    expect(rawScan(place.path)).not.toContain('A record of a');
    expect((await store.namespaces({ empty: true, segment: 'a' })).items).toEqual([]);
  });

  it('reads the namespaces that a torn or damaged list does not tell', async () => {
    const names = await manyNamespaces();
    const saved = filesBelow(index()).map((path) => ({ path, bytes: readFileSync(path) }));
    for (const damage of [
      (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
      (bytes: Buffer) => Buffer.from(bytes).fill('#', 60, 100),
      () => 'no list',
    ]) {
      for (const { path, bytes } of saved) writeFileSync(path, damage(bytes));
      expect(Object.keys(await countsOf(openStore())).sort()).toEqual([...names].sort());
    }
    rmSync(index(), { recursive: true });
    expect(Object.keys(await countsOf(openStore())).sort()).toEqual([...names].sort());
  });

  it('ignores a second entry of the list for a folder', async () => {
    await manyNamespaces();
    const { encodeLine } = await import('../src/log/log-line.ts');
    const folder = namespaceFolder(place.path, ['n1']);
    const second = encodeLine(JSON.stringify([basename(folder), ['other'], 0, 5, null]));
    writeFileSync(join(index(), basename(dirname(folder))), second, { flag: 'a' });

    expect((await openStore().namespaces({ segment: 'other' })).items).toEqual([]);
    const counts = await countsOf(openStore());
    expect(counts).not.toHaveProperty('other');
    expect(counts.n1).toBe(1);
  });

  it('leaves no trace of a namespace that was cleared', async () => {
    await manyNamespaces();
    await add(openStore(), 'heliotrope');
    for (let n = 0; n < MANY; n++)
      await openStore()
        .within([`m${n}`])
        .put({ id: 'a', content: 'x' });
    age();
    await countsOf(openStore());
    expect(rawScan(index())).toContain('heliotrope');

    await openStore().within(['heliotrope']).clear();
    expect(rawScan(place.path).includes('heliotrope')).toBe(false);
  });

  it('lists below a namespace in the same order, page by page', async () => {
    const store = openStore();
    for (const namespace of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a!'], ['ab'], ['a', 'z'], ['b']]) {
      await store.within(namespace).put({ id: 'x', content: 'x' });
    }
    await store.put({ id: 'root', content: 'x' });
    const below: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await store.within(['a']).namespaces({ limit: 1, cursor });
      below.push(...page.items.map(({ namespace }) => [...namespace]));
      cursor = page.cursor;
    } while (cursor !== undefined);

    expect(below).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'z'],
    ]);
    expect((await store.namespaces()).items.map(({ namespace }) => namespace.join('/'))).toEqual([
      'a',
      'a/b',
      'a/b/c',
      'a/z',
      'a!',
      'ab',
      'b',
    ]);
  });
});
