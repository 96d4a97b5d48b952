import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from '@keepsake/testing/share';
import { afterAll, describe, expect, it } from 'vitest';
import { namespaceFolder, sessionFolder } from '../src/disk/file-names.ts';
import { type CorruptionReport, FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { damageItem, logIn, sessionLog } from './damage.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

let places = 0;
function place(): string {
  const directory = join(root, String(places++));
  mkdirSync(directory);
  return directory;
}

const reports: CorruptionReport[] = [];
const onCorrupt = (report: CorruptionReport) => reports.push(report);
function openSession(directory: string): FileSession {
  reports.length = 0;
  return new FileSession({ directory, sessionId: 'chat', durability: 'os', onCorrupt });
}
function openStore(directory: string): FileStore {
  reports.length = 0;
  return new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt });
}

const items = (...texts: string[]) => texts.map((text) => ({ text }));
const BATCHES = [items('a'), items('b', 'c'), items('ä'), items('€', '💡é', '語\u2028'), items('ü💡')];
const NEXT = items('next 💡', 'and next');

/** A session with the batches, and the offset of each batch's end in the log. */
async function batches() {
  const directory = place();
  const session = openSession(directory);
  const ends: number[] = [];
  for (const batch of BATCHES) {
    await session.addItems(batch);
    ends.push(readFileSync(sessionLog(directory, 'chat')).length);
  }
  const path = sessionLog(directory, 'chat');
  return { directory, path, log: readFileSync(path), ends };
}

describe('a truncated or missing log', () => {
  it('without a complete header is reported, and repaired by the next write', async () => {
    const { directory, path, log } = await batches();
    const header = log.indexOf('\n') + 1;
    for (let length = 0; length < header; length++) {
      writeFileSync(path, log.subarray(0, length));
      const store = new FileSessionStore({ directory, onCorrupt });
      const session = openSession(directory);
      expect(await session.getItems()).toEqual([]);
      expect((await store.list()).items).toMatchObject([{ sessionId: 'chat', itemCount: 0 }]);
      expect(reports).toMatchObject([
        { from: 0, to: 0 },
        { from: 0, to: 0 },
      ]);
      await session.addItems(NEXT);
      expect(await openSession(directory).getItems()).toEqual(NEXT);
      expect((await store.list()).items).toMatchObject([{ sessionId: 'chat', itemCount: 2 }]);
      expect(reports).toEqual([]);
    }
  });

  it('is read again by an open instance, as after restoring a backup', async () => {
    const { directory, path, log, ends } = await batches();
    const session = openSession(directory);
    expect(await session.getItems()).toEqual(BATCHES.flat());
    writeFileSync(path, log.subarray(0, ends[2]));
    expect(await session.getItems()).toEqual(BATCHES.slice(0, 3).flat());
    await session.addItems(NEXT);
    const now = [...BATCHES.slice(0, 3).flat(), ...NEXT];
    expect(await session.getItems()).toEqual(now);
    expect(await openSession(directory).getItems()).toEqual(now);
    expect(reports).toEqual([]);
  });

  it('is an error if it is missing, and its session can be deleted', async () => {
    const { directory, path } = await batches();
    rmSync(path);
    const session = openSession(directory);
    await expect(session.getItems()).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(session.addItems(NEXT)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await new FileSessionStore({ directory }).delete('chat')).toBe(true);
    await session.addItems(NEXT);
    expect(await session.getItems()).toEqual(NEXT);
  });
});

describe('a log with a flipped bit', () => {
  /** The offsets of the lines, and the end of the log. */
  function lineStarts(log: Buffer): number[] {
    const starts = [0];
    for (let at = log.indexOf(10); at !== -1; at = log.indexOf(10, at + 1)) starts.push(at + 1);
    return starts;
  }

  /** Every so many bytes, and all line feeds. */
  function bytesOf(log: Buffer, every: number): number[] {
    return [...log.keys()].filter((at) => at % every === 0 || log[at] === 10);
  }

  it('loses only the damaged item, reports it once, and refuses to remove it', async () => {
    const { directory, path, log } = await batches();
    const all = BATCHES.flat();
    const starts = lineStarts(log);
    for (const byte of bytesOf(log, step(9))) {
      const bytes = Buffer.from(log);
      bytes[byte] = (bytes[byte] as number) ^ (1 << ((byte * 5) % 8));
      writeFileSync(path, bytes);
      const session = openSession(directory);
      const hit = starts.findLastIndex((start) => start <= byte);
      const isLineFeed = byte === (starts[hit + 1] as number) - 1;
      const left = isLineFeed || hit === 0 ? all : all.filter((_, n) => n !== hit - 1);
      expect(await session.getItems()).toEqual(left);
      expect(await session.getItems(2)).toEqual(left.slice(-2));
      expect(reports.length).toBe(isLineFeed ? 0 : 1);
      if (isLineFeed) continue;
      // If the flip makes a line feed, the last line may count as two.
      expect(reports[0]).toMatchObject({ from: hit, folder: sessionFolder(directory, 'chat') });
      expect(reports[0]?.to).toBeOneOf(hit === all.length ? [hit, hit + 1] : [hit]);
      if (hit === 0) continue;

      const before = readFileSync(path);
      await expect(session.replaceHistoryWithCompaction([])).rejects.toMatchObject({ code: 'CORRUPT' });
      if (hit === all.length) await expect(session.popItem()).rejects.toMatchObject({ code: 'CORRUPT' });
      expect(readFileSync(path)).toEqual(before);

      await session.addItems(NEXT);
      expect(await session.getItems()).toEqual([...left, ...NEXT]);
      expect(await openSession(directory).getItems()).toEqual([...left, ...NEXT]);
      expect(reports).toHaveLength(1);
      expect(await session.popItem()).toEqual(NEXT[1]);
      expect(await session.popItem()).toEqual(NEXT[0]);
      if (hit === all.length) await expect(session.popItem()).rejects.toMatchObject({ code: 'CORRUPT' });
      else expect(await session.popItem()).toEqual(all.at(-1));
    }
  });

  it('is healthy again after the session is cleared, which removes the damaged line from disk', async () => {
    for (const only of [true, false]) {
      const directory = place();
      const session = openSession(directory);
      await session.addItems(items('sentinel'));
      if (!only) await session.addItems(items('sentinel', 'sentinel'));
      const path = sessionLog(directory, 'chat');
      writeFileSync(path, readFileSync(path, 'latin1').replace('"text"', '"tExt"'), 'latin1');
      const again = openSession(directory);
      await expect(again.replaceHistoryWithCompaction([])).rejects.toMatchObject({ code: 'CORRUPT' });
      await again.clearSession();
      expect(rawScan(directory)).not.toContain('sentinel');
      expect(await again.popItem()).toBeUndefined();
      await again.addItems(NEXT);
      expect(await again.popItem()).toEqual(NEXT[1]);
      expect(await openSession(directory).getItems()).toEqual([NEXT[0]]);
      expect(reports).toEqual([]);
    }
  });

  it('loses only the damaged record', async () => {
    const directory = place();
    const ids = ['a', 'b', 'ä', '💡', 'e'];
    for (const id of ids) await openStore(directory).put({ id, content: `heron ${id}` });
    const path = logIn(namespaceFolder(directory, []));
    const log = readFileSync(path);
    const starts = lineStarts(log);
    for (const byte of bytesOf(log, 2 * step(7))) {
      const bytes = Buffer.from(log);
      bytes[byte] = (bytes[byte] as number) ^ (1 << (byte % 8));
      writeFileSync(path, bytes);
      const hit = starts.findLastIndex((start) => start <= byte);
      const isLineFeed = byte === (starts[hit + 1] as number) - 1;
      const store = openStore(directory);
      const found = (await store.list({ order: 'oldest' })).items.map(({ id }) => id);
      expect(found).toEqual(isLineFeed || hit === 0 ? ids : ids.filter((_, n) => n !== hit - 1));
      expect(await store.search('heron')).toHaveLength(found.length);
      expect(reports).toMatchObject(isLineFeed ? [] : [{ from: hit }]);
      expect(reports.length).toBe(isLineFeed ? 0 : 1);
    }
    await openStore(directory).clear();
    expect((await openStore(directory).list()).items).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('is reported once by a session store, too', async () => {
    const { directory } = await batches();
    const count = BATCHES.flat().length;
    damageItem(directory, 'chat', count - 1);
    reports.length = 0;
    const store = new FileSessionStore({ directory, onCorrupt });
    expect((await store.list()).items).toMatchObject([{ itemCount: count - 1 }]);
    await store.list();
    expect(reports).toMatchObject([{ from: count, to: count }]);
  });

  it('is listed with the item count of its last line, because a list reads nothing else', async () => {
    const { directory } = await batches();
    damageItem(directory, 'chat', 0);
    reports.length = 0;
    const store = new FileSessionStore({ directory, onCorrupt });
    expect((await store.list()).items).toMatchObject([{ itemCount: BATCHES.flat().length }]);
    expect(reports).toEqual([]);
  });
});

describe('a replaced log', () => {
  it('of another session is refused and stays unchanged', async () => {
    const { directory, path } = await batches();
    const other = new FileSession({ directory, sessionId: 'other', onCorrupt });
    await other.addItems(NEXT);
    copyFileSync(path, sessionLog(directory, 'other'));
    for (const use of [() => other.getItems(), () => other.addItems(NEXT), () => other.clearSession()]) {
      await expect(use()).rejects.toMatchObject({ code: 'CORRUPT' });
    }
    expect(readFileSync(sessionLog(directory, 'other'))).toEqual(readFileSync(path));
  });

  it('whose first read failed halfway is not applied twice', async () => {
    const { directory, path, log, ends } = await batches();
    let failures = 0;
    const session = new FileSession({
      directory,
      sessionId: 'chat',
      onCorrupt() {
        failures++;
        throw new Error('Told.');
      },
    });
    await session.getItems();
    writeFileSync(path, log.toString('latin1').replace('"text":"b"', '"text":"B"'), 'latin1');
    truncateSync(path, ends[3]);
    await expect(session.getItems()).rejects.toMatchObject({ code: 'BACKEND' });
    const left = BATCHES.slice(0, 4).flat();
    expect(await session.getItems()).toEqual(left.filter(({ text }) => text !== 'b'));
    expect(failures).toBe(1);
  });
});
