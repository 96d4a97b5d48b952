import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionHistoryTransaction } from '@keepsake/core';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../src/disk/file-lock.ts';
import { sessionFolder } from '../src/disk/file-names.ts';
import { FileSession, FileSessionStore } from '../src/index.ts';
import { Child } from './child.ts';
import { batchOf, type Job, type TestItem } from './children/job.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

let places = 0;
function place(): string {
  const directory = join(root, String(places++));
  mkdirSync(directory);
  return directory;
}
const openSession = (directory: string) =>
  new FileSession<TestItem>({ directory, sessionId: 'chat', durability: 'os' });
const locksIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('lock-'));
/** The locks without the random part in the names of free ones. */
const lockIn = (folder: string) => locksIn(folder).map((name) => name.replace(/-free-[0-9a-f]+$/, '-free'));

/** The result, unless a holder that is only presumed dead is replaced first, which takes 5 seconds of looking at its lock. */
function beforeStale<T>(result: Promise<T>): Promise<T> {
  const folder = place();
  writeFileSync(join(folder, 'lock-1-held-0123456789ab-1-1-00ff'), '');
  const stale = lockFolder(folder).then((lock) => {
    lock?.release();
    throw new Error('The takeover took too long.');
  });
  return Promise.race([result, stale]).finally(() => rmSync(folder, { recursive: true, force: true }));
}

const old = batchOf({ writer: 'old', size: 2 }, 0);
const added = batchOf({ writer: 'new', size: 3, length: 50 }, 0);
const taken = batchOf({ writer: 'taken', size: 2 }, 0);

describe('a holder', () => {
  describe.concurrent('of a lock', () => {
    it('is replaced at once if its process was killed', async () => {
      const directory = place();
      await openSession(directory).addItems(old);
      const job: Job = { task: 'append', directory, writer: 'new' };
      const child = new Child('interrupted', { ...job, interruption: { signal: 'SIGKILL', call: 1 } });
      await child.end;
      expect(child.lines).toEqual(['interrupted writeSync']);
      const folder = sessionFolder(directory, 'chat');
      expect(lockIn(folder)[0]).toMatch(/^lock-1-held-/);
      const taking = openSession(directory).addItems(taken);
      await beforeStale(taking);
      expect(await openSession(directory).getItems()).toEqual([...old, ...taken]);
      expect(lockIn(folder)).toEqual(['lock-2-free']);
    });

    it.each([
      ['if its pid now belongs to another process', (name: string) => name.replace(/-\d+-([0-9a-f]+)$/, '-1-$1')],
      ['if no process has its pid', (name: string) => name.replace(/-\d+-(\d+-[0-9a-f]+)$/, '-4194999-$1')],
    ])('is replaced at once %s', async (_, rename) => {
      const folder = place();
      writeFileSync(join(folder, 'lock-3-free'), '');
      const held = await lockFolder(folder);
      expect(held?.generation).toBe(3);
      const [name = ''] = lockIn(folder);
      expect(rename(name)).not.toBe(name);
      renameSync(join(folder, name), join(folder, rename(name)));
      expect(held?.isHeld()).toBe(false);
      const taker = lockFolder(folder);
      expect(await beforeStale(taker)).toMatchObject({ generation: 4 });
      held?.release();
      expect(await taker.then((lock) => lock?.isHeld())).toBe(true);
      expect(lockIn(folder)).toHaveLength(1);
      (await taker)?.release();
      expect(lockIn(folder)).toEqual(['lock-4-free']);
    });

    it('is replaced after a while if it ran on another machine', async () => {
      const folder = place();
      writeFileSync(join(folder, 'lock-1-held-0123456789ab-1-1-00ff'), '');
      const held = await lockFolder(folder);
      expect(held?.generation).toBe(2);
      held?.release();
      expect(lockIn(folder)).toEqual(['lock-2-free']);
    });

    it('is waited for as long as it has a heartbeat', async () => {
      const folder = place();
      writeFileSync(join(folder, 'lock-1-free'), '');
      const held = await lockFolder(folder);
      const order: string[] = [];
      const waiting = lockFolder(folder).then((lock) => {
        order.push('taken');
        return lock;
      });
      await new Promise((resolve) => setTimeout(resolve, 7000));
      order.push('released');
      held?.release();
      expect((await waiting)?.generation).toBe(1);
      expect(order).toEqual(['released', 'taken']);
      (await waiting)?.release();
    });
  });
});

describe('a lock', () => {
  it('reports whether anyone has held it since it was released', async () => {
    const folder = place();
    writeFileSync(join(folder, 'lock-1-free'), '');
    const first = await lockFolder(folder);
    expect(first?.isUntouched).toBe(false);
    const name = first?.release();
    expect(locksIn(folder)).toEqual([name]);
    const again = await lockFolder(folder, name);
    expect(again?.isUntouched).toBe(true);
    const other = again?.release();
    expect(other).not.toBe(name);
    (await lockFolder(folder))?.release();
    const last = await lockFolder(folder, other);
    expect(last?.isUntouched).toBe(false);
    expect(last?.isHeld()).toBe(true);
    last?.release();
    expect(lockIn(folder)).toEqual(['lock-1-free']);
  });

  it('is held by only one of 30 contenders at a time', async () => {
    const folder = place();
    writeFileSync(join(folder, 'lock-1-free'), '');
    let holders = 0;
    let turns = 0;
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const lock = await lockFolder(folder);
        holders++;
        expect(holders).toBe(1);
        expect(lock?.generation).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        expect(lock?.isHeld()).toBe(true);
        turns++;
        holders--;
        lock?.release();
      }),
    );
    expect(turns).toBe(30);
    expect(lockIn(folder)).toEqual(['lock-1-free']);
  });

  it('is not taken from a holder that paused together with the waiting process, as when a laptop sleeps', async () => {
    const folder = place();
    writeFileSync(join(folder, 'lock-1-free'), '');
    const held = await lockFolder(folder);
    const waiting = lockFolder(folder);
    await new Promise((resolve) => setTimeout(resolve, 20));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5200);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(held?.isHeld()).toBe(true);
    held?.release();
    expect((await waiting)?.generation).toBe(1);
    (await waiting)?.release();
  });

  it('stays exclusive if a copy of a folder in use has several lock files', async () => {
    const folder = place();
    for (const name of ['lock-2-free', 'lock-3-free', 'lock-3-held-0-4194999-0-00'])
      writeFileSync(join(folder, name), '');
    renameSync(join(folder, 'lock-3-held-0-4194999-0-00'), join(folder, 'lock-4-free'));
    let holders = 0;
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const lock = await lockFolder(folder);
        // As after a takeover: holders of the other lock files are fenced off.
        expect(lock?.generation).toBe(5);
        expect(++holders).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        holders--;
        lock?.release();
      }),
    );
    expect(locksIn(folder)).toHaveLength(1);
  });

  it('stays exclusive if a backup is copied over the folder, even for instances that remember its name', async () => {
    const directory = place();
    const [one, other] = [openSession(directory), openSession(directory)];
    await one.addItems(old);
    const folder = sessionFolder(directory, 'chat');
    const backup = locksIn(folder);
    await one.addItems(added);
    for (const name of backup) writeFileSync(join(folder, name), '');
    await Promise.all([one.addItems(taken), other.addItems(taken), one.addItems(taken), other.addItems(taken)]);
    expect(await openSession(directory).getItems()).toHaveLength(13);
    expect(locksIn(folder)).toHaveLength(1);
  });

  it('is undefined if the folder is missing or empty', async () => {
    expect(await lockFolder(join(root, 'nowhere', 'at all'))).toBeUndefined();
    expect(await lockFolder(place())).toBeUndefined();
  });

  it('that is missing is an error that says what to do', async () => {
    const directory = place();
    const session = openSession(directory);
    await session.addItems(old);
    const folder = sessionFolder(directory, 'chat');
    for (const name of locksIn(folder)) rmSync(join(folder, name));
    await expect(session.addItems(added)).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining('lock-N-free'),
    });
    expect(await session.getItems()).toEqual(old);
    writeFileSync(join(folder, 'lock-2-free'), '');
    await session.addItems(added);
    expect(await openSession(directory).getItems()).toEqual([...old, ...added]);
  });

  it('is released when a change is refused or fails', async () => {
    const directory = place();
    const session = openSession(directory);
    await session.addItems(old);
    const folder = sessionFolder(directory, 'chat');
    const transaction: SessionHistoryTransaction<TestItem> = {
      type: 'replace_suffix',
      expectedSuffix: taken,
      replacement: [],
    };
    await expect(session.applyHistoryTransaction({ operationId: 'one', transaction })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(lockIn(folder)).toEqual(['lock-1-free']);

    // The remains of a crash can't be removed, because they are a folder with content.
    const rubbish = join(folder, '.tmp-00');
    mkdirSync(join(rubbish, 'inside'), { recursive: true });
    await expect(openSession(directory).addItems(added)).rejects.toMatchObject({ code: 'BACKEND' });
    expect(lockIn(folder)).toEqual(['lock-1-free']);
    rmSync(rubbish, { recursive: true });

    const log = readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '';
    const other = new FileSession({ directory, sessionId: 'other' });
    await other.addItems([{ a: 1 }]);
    const otherFolder = sessionFolder(directory, 'other');
    for (const name of readdirSync(otherFolder)) if (name.endsWith('.jsonl')) rmSync(join(otherFolder, name));
    renameSync(join(folder, log), join(otherFolder, log));
    await expect(other.addItems([{ a: 2 }])).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(new FileSessionStore({ directory }).delete('other')).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(lockIn(otherFolder)).toEqual(['lock-1-free']);
    expect(existsSync(join(otherFolder, log))).toBe(true);
  });
});
