import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATION_IDS } from '@keepsake/core/adapter';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { namespaceFolder, newLogName, sessionFolder } from '../src/disk/file-names.ts';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { forgetTimes } from '../src/log/timestamp.ts';
import { runTogether } from './child.ts';
import type { TestItem } from './children/job.ts';
import { logIn } from './damage.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { filesBelow, rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

let places = 0;
function place(): string {
  const directory = join(root, String(places++));
  mkdirSync(directory);
  return directory;
}
const openSession = (directory: string) => new FileSession({ directory, sessionId: 'chat', durability: 'os' });
const openStore = (directory: string) => new FileStore({ directory, name: 'memory', durability: 'os' });
const big = (text: string) => ({ text, padding: 'ä'.repeat(50_000) });
/** Appends an item by operation `n`. */
const operate = (session: FileSession<{ n: number; text: string }>, n: number, text = 'small') =>
  session.applyHistoryTransaction({
    operationId: `018f6b1a-7d3c-7000-8000-${String(n).padStart(12, '0')}`,
    transaction: { type: 'append_items', items: [{ n, text }] },
  });
/** Compacts the log, by leaving enough dead data in it. */
async function compactNow(session: FileSession): Promise<void> {
  await session.addItems([{ text: 'x'.repeat(3_000_000) }]);
  await session.popItem();
}
/** The number of compactions of the log in a folder. */
const compactions = (folder: string) => Number(/log-\d+-(\d+)-/.exec(logIn(folder))?.[1]) - 1;

describe('compaction of a session', () => {
  it('happens at 1 MiB of which half is dead, not earlier, and keeps all live data', async () => {
    const directory = place();
    const folder = sessionFolder(directory, 'chat');
    const session = openSession(directory);
    const reader = openSession(directory);
    await session.addItems([
      { text: 'first', __proto__x: 1 },
      JSON.parse('{"__proto__":{"a":"\\u2028💡"},"1":2,"b":-0}'),
    ]);
    const transaction = { type: 'append_items', items: [{ text: 'by id' }] } as const;
    await session.applyHistoryTransaction({
      operationId: 'known',
      transaction: { ...transaction, items: [{ text: 'by id' }] },
    });
    const kept = await session.getItems();
    const store = new FileSessionStore({ directory });
    const createdAt = (await store.list()).items[0]?.createdAt;

    let most = 0;
    for (let n = 0; compactions(folder) === 0; n++) {
      expect(n).toBeLessThan(30);
      most = statSync(logIn(folder)).size;
      await session.addItems([big(`${n}`)]);
      await session.popItem();
      expect(await reader.getItems()).toEqual(kept);
    }
    expect(most).toBeGreaterThan(900_000);
    // The big item may be live or dead when the compaction happens.
    expect(statSync(logIn(folder)).size).toBeLessThan(110_000);
    expect(readdirSync(folder)).toHaveLength(2);

    for (const one of [session, reader, openSession(directory)]) {
      expect(await one.getItems()).toEqual(kept);
      await one.applyHistoryTransaction({
        operationId: 'known',
        transaction: { ...transaction, items: [{ text: 'by id' }] },
      });
      await expect(
        one.applyHistoryTransaction({
          operationId: 'known',
          transaction: { ...transaction, items: [{ text: 'other' }] },
        }),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(await reader.getItems()).toEqual(kept);
    expect((await store.list()).items).toMatchObject([{ sessionId: 'chat', itemCount: 3, createdAt }]);
    await reader.addItems([{ text: 'last' }]);
    expect(await session.getItems()).toEqual([...kept, { text: 'last' }]);
  });

  it('does not happen while more than half of the log is live', async () => {
    const directory = place();
    const session = openSession(directory);
    for (let n = 0; n < 14; n++) await session.addItems([big(`${n}`)]);
    for (let n = 0; n < 4; n++) await session.popItem();
    expect(compactions(sessionFolder(directory, 'chat'))).toBe(0);
    expect(await session.getItems()).toHaveLength(10);
  });

  it('does not repeat if operations take up more space than items', async () => {
    const directory = place();
    const session = openSession(directory);
    const folder = sessionFolder(directory, 'chat');
    for (let n = 0; n < 1000; n++) {
      const operationId = `${n} ${'€'.repeat(500)}`;
      const transaction = { type: 'append_items' as const, items: [{ n }] };
      await session.applyHistoryTransaction({
        operationId,
        transaction: { ...transaction, items: [{ n, text: '' }] },
      } as never);
    }
    const before = compactions(folder);
    for (let n = 0; n < 20; n++) await session.addItems([{ text: 'small', n } as never]);
    expect(compactions(folder) - before).toBe(0);
    expect(compactions(folder)).toBeLessThan(5);
  });

  it('keeps the time of the last change, and so the order of sessions', async () => {
    const directory = place();
    const session = openSession(directory);
    const folder = sessionFolder(directory, 'chat');
    for (const operationId of ['one', 'two', 'three']) {
      await session.applyHistoryTransaction({
        operationId,
        transaction: { type: 'append_items', items: [{ operationId }] },
      });
    }
    await session.popItem();
    await session.popItem();
    expect(compactions(folder)).toBe(0);
    await session.popItem();
    expect(compactions(folder)).toBe(1);
    const lines = readFileSync(logIn(folder), 'utf8').trim().split('\n').slice(1);
    expect(lines).toHaveLength(2);
    expect(new Set(lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))).at)).size).toBe(1);
  });

  it('keeps 600 operations, each in less than 130 bytes', async () => {
    const directory = place();
    const session = openSession(directory);
    const folder = sessionFolder(directory, 'chat');
    for (let n = 0; n < 600; n++) await operate(session, n);
    expect(compactions(folder)).toBe(0);
    await session.replaceHistoryWithCompaction([]);
    await compactNow(session);
    expect(statSync(logIn(folder)).size / 600).toBeLessThan(130);
    for (const one of [session, openSession(directory)]) {
      for (const n of [0, 299, 599]) await operate(one, n);
      await expect(operate(one, 0, 'other')).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await one.getItems()).toEqual([]);
    }
  });

  it('forgets operations after 30 days, but not the latest 1,000 and as many as there are items', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const directory = place();
      const session = openSession(directory);
      for (let n = 0; n < 1_100; n++) await operate(session, n);
      vi.setSystemTime(Date.now() + OPERATION_IDS.keepMs + 60_000);
      await operate(session, 1_100);
      await compactNow(session);
      // As many as there are items.
      await operate(session, 0);
      await operate(openSession(directory), 1);
      expect(await session.getItems()).toHaveLength(1_101);
      await session.replaceHistoryWithCompaction([]);
      await operate(session, 1_101);
      await compactNow(session);
      // The latest 1,000 of 1,102.
      await operate(session, 102);
      await operate(openSession(directory), 103);
      expect(await session.getItems()).toHaveLength(1);
      await operate(openSession(directory), 101);
      expect(await session.getItems()).toHaveLength(2);
      // The others are of today.
      vi.setSystemTime(Date.now() + OPERATION_IDS.keepMs - 120_000);
      for (let n = 1_102; n < 2_200; n++) await operate(session, n);
      await session.replaceHistoryWithCompaction([]);
      await compactNow(session);
      for (const n of [101, 1_101]) await operate(openSession(directory), n);
      expect(await session.getItems()).toEqual([]);
    } finally {
      vi.useRealTimers();
      forgetTimes();
    }
  });

  it('is not repeated at each pop of the last item of a session with many operations', async () => {
    const directory = place();
    const session = openSession(directory);
    const folder = sessionFolder(directory, 'chat');
    for (let n = 0; n < 1_500; n++) await operate(session, n);
    await session.replaceHistoryWithCompaction([]);
    const before = compactions(folder);
    for (let n = 0; n < 20; n++) {
      await session.addItems([{ text: 'small' }]);
      await session.popItem();
    }
    expect(compactions(folder) - before).toBe(0);
    await session.clearSession();
    expect(compactions(folder) - before).toBe(1);
    expect(statSync(logIn(folder)).size).toBeLessThan(1_000);
  });

  it('goes unnoticed by readers and writers in several processes', async () => {
    const directory = place();
    const session = new FileSession<TestItem>({ directory, sessionId: 'chat', durability: 'os' });
    const folder = sessionFolder(directory, 'chat');
    const writers = [0, 1, 2].slice(0, rounds(3, 2));
    const writing = runTogether(
      writers.map((n) => ({ task: 'append', directory, writer: `w${n}`, times: 30, size: 2, length: 500 }) as const),
    );
    let over = false;
    const end = writing.finally(() => {
      over = true;
    });
    let before: TestItem[] = [];
    while (!over) {
      // Leaves enough dead data to compact.
      const padding = { writer: 'x', batch: 0, index: 0, text: 'x'.repeat(300_000) };
      await session.applyHistoryTransaction({
        operationId: crypto.randomUUID(),
        transaction: { type: 'append_items', items: [padding] },
      });
      const last = await session.popItem();
      if (last?.writer !== 'x') await session.addItems(last ? [last] : []);
      const items = (await session.getItems()).filter(({ writer }) => writer !== 'x');
      expect(items.length).toBeGreaterThanOrEqual(before.length - 1);
      before = items;
    }
    await end;
    expect(compactions(folder)).toBeGreaterThan(0);
    const items = await new FileSession<TestItem>({ directory, sessionId: 'chat' }).getItems();
    for (const n of writers) {
      const batches = items.filter(({ writer }) => writer === `w${n}`).map(({ batch, index }) => `${batch} ${index}`);
      expect(batches.sort()).toEqual(Array.from({ length: 60 }, (_, at) => `${at >> 1} ${at & 1}`).sort());
    }
  });

  it('removes the remains of a compaction that crashed', async () => {
    const directory = place();
    const folder = sessionFolder(directory, 'chat');
    await openSession(directory).addItems([{ text: 'old' }]);
    const log = readFileSync(logIn(folder));
    // A crash before the new log is renamed, and one after it, with the old log still there.
    writeFileSync(join(folder, '.tmp-0123'), log.subarray(0, 90));
    await openSession(directory).addItems([{ text: 'next' }]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
    writeFileSync(join(folder, newLogName(1, 2)), readFileSync(logIn(folder)));
    expect(await openSession(directory).getItems()).toEqual([{ text: 'old' }, { text: 'next' }]);
    await openSession(directory).addItems([{ text: 'last' }]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await openSession(directory).getItems()).toEqual([{ text: 'old' }, { text: 'next' }, { text: 'last' }]);
  });

  it('leaves no trace of a cleared or deleted session on disk', async () => {
    const directory = place();
    const session = openSession(directory);
    await session.addItems([{ text: 'sentinel' }, { text: 'sentinel' }]);
    await session.popItem();
    expect(rawScan(directory)).toContain('sentinel');
    await session.clearSession();
    expect(rawScan(directory)).not.toContain('sentinel');
    expect(await session.getItems()).toEqual([]);
    await session.addItems([{ text: 'sentinel' }]);
    expect(await new FileSessionStore({ directory }).delete('chat')).toBe(true);
    expect(filesBelow(directory)).toEqual([]);
  });
});

describe('compaction of a store', () => {
  it('keeps records, their order, cursors and vectors', async () => {
    const directory = place();
    const folder = namespaceFolder(directory, []);
    const options = { directory, name: 'memory', durability: 'os', embedder: fakeEmbedder } as const;
    const store = new FileStore(options);
    const reader = new FileStore(options);
    for (let n = 0; n < 9; n++) await store.put({ id: `${n}`, content: `heron ${n}`, metadata: { n } });
    await store.put({ id: '3', content: 'heron 3 again', ttlMs: 1_000_000 });
    const list = () => reader.list({ order: 'oldest', limit: 4 });
    const page = await list();
    const before = await reader.list({ limit: 100 });
    const entries = await reader.search('heron 7');

    for (let n = 0; compactions(folder) === 0; n++) {
      expect(n).toBeLessThan(30);
      await store.put({ id: 'big', content: 'x'.repeat(100_000) });
      await store.delete('big');
    }
    for (const one of [store, reader, new FileStore(options)]) {
      expect(await one.list({ limit: 100 })).toEqual(before);
      expect(await one.search('heron 7')).toEqual(entries);
      expect(
        (await one.list({ order: 'oldest', limit: 100, cursor: page.cursor as string })).items.map(({ id }) => id),
      ).toEqual(['4', '5', '6', '7', '8']);
      expect(await one.get('3')).toMatchObject({ version: putTimes(2) });
    }
    expect(rawScan(directory)).toContain('"vector"');
  });

  it('leaves no trace of deleted or replaced records in logs and indexes when it is requested', async () => {
    const directory = place();
    const store = openStore(directory);
    const secret = 'zygomorphic';
    await store.compact();
    expect(readdirSync(directory)).toEqual([]);
    await store.putMany(Array.from({ length: 2_000 }, (_, n) => ({ id: `${n}`, content: `heron ${n}` })));
    await store.putMany(['a', 'b'].map((id) => ({ id, content: `${secret} ${id}`, metadata: { secret } })));
    await store.close();
    const again = openStore(directory);
    await again.delete('a');
    await again.put({ id: 'b', content: 'crane' });
    await again.close();
    expect(rawScan(directory)).toContain(secret);
    const before = await openStore(directory).list({ limit: 1_000 });
    await openStore(directory).compact();
    expect(rawScan(directory)).not.toContain(secret);
    expect(await openStore(directory).list({ limit: 1_000 })).toEqual(before);
    expect(await openStore(directory).search('crane')).toHaveLength(1);
    // Concurrent writers lose nothing.
    const writers = [openStore(directory), openStore(directory)];
    await Promise.all([
      ...writers.map(async (one, who) => {
        for (let n = 0; n < 50; n++) await one.put({ id: `${who} ${n}`, content: 'heron' });
      }),
      ...Array.from({ length: 5 }, () => openStore(directory).compact()),
    ]);
    const reader = openStore(directory);
    for (const id of [0, 1].flatMap((who) => Array.from({ length: 50 }, (_, n) => `${who} ${n}`))) {
      expect(await reader.get(id)).toMatchObject({ content: 'heron' });
    }
  });

  it('never reuses the position of a deleted record: an earlier cursor finds all later records', async () => {
    const directory = place();
    const store = openStore(directory);
    await store.putMany(['a', 'b', 'c'].map((id) => ({ id, content: 'heron' })));
    const { cursor } = await store.list({ order: 'oldest', limit: 2 });
    for (const id of ['a', 'b', 'c']) await store.delete(id);
    expect(compactions(namespaceFolder(directory, []))).toBe(1);
    await openStore(directory).putMany(['d', 'e'].map((id) => ({ id, content: 'heron' })));
    const rest = await openStore(directory).list({ order: 'oldest', cursor: cursor as string });
    expect(rest.items.map(({ id }) => id)).toEqual(['d', 'e']);
  });

  it('keeps the order if the id of an expired record is used again', async () => {
    const directory = place();
    const store = openStore(directory);
    await store.put({ id: 'a', content: 'heron', ttlMs: 30 });
    await store.put({ id: 'b', content: 'heron' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await store.put({ id: 'a', content: 'heron' });
    const ids = async (one: FileStore) => (await one.list({ order: 'oldest' })).items.map(({ id }) => id);
    expect(await ids(store)).toEqual(['b', 'a']);
    expect(await ids(openStore(directory))).toEqual(['b', 'a']);
  });

  it('leaves no trace of a cleared store, or of the last record after its deletion', async () => {
    const directory = place();
    const store = openStore(directory);
    await store.put({ id: 'sentinel', content: 'sentinel' });
    expect(rawScan(directory)).toContain('sentinel');
    await store.delete('sentinel');
    expect(rawScan(directory)).not.toContain('sentinel');
    await store.put({ id: 'sentinel', content: 'sentinel' });
    await store.within(['sentinel']).put({ content: 'sentinel' });
    expect(await store.clear({ descendants: true })).toBe(2);
    expect(filesBelow(directory)).toEqual([]);
  });
});

describe('a store whose embedder returns invalid vectors', () => {
  it.each([
    ['too short', () => new Float32Array(3)],
    ['not a number', () => new Float32Array(16).fill(Number.NaN)],
    ['infinite', () => new Float32Array(16).fill(Infinity)],
  ])('writes no vector that is %s and could not be read again', async (_, vector) => {
    const directory = place();
    const embedder = { ...fakeEmbedder, embed: async (texts: readonly string[]) => texts.map(vector) };
    const store = new FileStore({ directory, name: 'memory', embedder });
    await expect(store.put({ content: 'heron' })).rejects.toMatchObject({ code: 'BACKEND' });
    expect((await store.list()).items).toEqual([]);
    const sound = new FileStore({ directory, name: 'memory', embedder: fakeEmbedder });
    await sound.put({ content: 'heron' });
    expect(await sound.search('heron')).toHaveLength(1);
  });

  it('finds records by their words if their vectors have other dimensions', async () => {
    const directory = place();
    await new FileStore({ directory, name: 'memory', embedder: fakeEmbedder }).put({ content: 'heron' });
    const embedder = { id: fakeEmbedder.id, dimensions: 2, embed: async () => [new Float32Array([1, 1])] };
    expect(await new FileStore({ directory, name: 'memory', embedder }).search('heron')).toHaveLength(1);
  });
});
