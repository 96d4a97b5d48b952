import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryError } from '@keepsake/core';
import { afterAll, describe, expect, it } from 'vitest';
import { type CallName, CHANGES, LOOKS, watchCalls } from './children/watch-calls.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/* The n-th call of the file system fails, for every n. */

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

let left = Infinity;
let half = false;
let errno = 'ENOSPC';
let only: readonly CallName[] = CHANGES;
let failed: CallName | undefined;

watchCalls((call) => {
  if (!only.includes(call.name) || left-- !== 0) return;
  failed = call.name;
  if (half) call.writeHalf();
  throw Object.assign(new Error(`${errno}: injected, ${call.name}`), { code: errno });
});
// After the calls are watched.
const { FileSession, FileSessionStore, FileStore } = await import('../src/index.ts');

let places = 0;
function place(): string {
  const directory = join(root, String(places++));
  mkdirSync(directory);
  return directory;
}
const openSession = (directory: string) => new FileSession({ directory, sessionId: 'chat' });
const openStore = (directory: string) => new FileStore({ directory, name: 'memory' });
const items = (...texts: string[]) => texts.map((text) => ({ text }));

/** Does something with the n-th call failing, and says how it ended; `undefined` where there are not so many calls. */
async function failing(n: number, use: () => Promise<unknown>): Promise<'done' | MemoryError | undefined> {
  left = n;
  failed = undefined;
  try {
    await use();
    return failed === undefined ? undefined : 'done';
  } catch (error) {
    return error as MemoryError;
  } finally {
    left = Infinity;
  }
}

/** Gives back what could not be given back, so that nobody waits until the lock is taken over. */
function freeLocks(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (name.includes('-held-')) renameSync(join(directory, name), join(directory, name.replace(/-held-.*$/, '-free')));
  }
}

const OLD = items('old 1', 'old 2');
const NEW = items('new 1', 'new 2', 'new 3');
const NEXT = items('next');

const kinds: { name: string; errno: string; half: boolean; only: readonly CallName[] }[] = [
  { name: 'a full disk', errno: 'ENOSPC', half: false, only: CHANGES },
  { name: 'a disk that is full after half of a write', errno: 'ENOSPC', half: true, only: CHANGES },
  { name: 'a failing disk', errno: 'EIO', half: false, only: [...CHANGES, ...LOOKS] },
];

describe.each(kinds)('$name', (kind) => {
  async function everyCall(
    prepare: (directory: string) => Promise<void>,
    use: (directory: string) => Promise<unknown>,
    check: (directory: string, outcome: 'done' | MemoryError) => Promise<void>,
  ) {
    ({ errno, half, only } = kind);
    const codes = new Set<string>();
    for (let n = 0; ; n++) {
      const directory = place();
      await prepare(directory);
      const outcome = await failing(n, () => use(directory));
      if (outcome === undefined) {
        expect(n).toBeGreaterThan(3);
        return codes;
      }
      codes.add(outcome === 'done' ? outcome : outcome.code);
      if (outcome !== 'done') {
        expect(outcome).toMatchObject({ code: expect.stringMatching(/^(BACKEND|OUTCOME_UNKNOWN)$/) });
        expect(outcome.cause).toBeDefined();
        expect(outcome.message).not.toMatch(/new|old|chat/);
      }
      freeLocks(directory);
      await check(directory, outcome);
    }
  }

  it.each([
    ['the first append', []],
    ['a later append', OLD],
  ])('%s is refused or done, and never half', async (_, before) => {
    const codes = await everyCall(
      (directory) => openSession(directory).addItems(before),
      (directory) => openSession(directory).addItems(NEW),
      async (directory, outcome) => {
        const found = await openSession(directory).getItems();
        if (outcome === 'done') expect(found).toEqual([...before, ...NEW]);
        else if (outcome.code === 'BACKEND') expect(found).toEqual(before);
        else expect(found).toBeOneOf([before, [...before, ...NEW]]);
        await openSession(directory).addItems(NEXT);
        expect(await openSession(directory).getItems()).toEqual([...found, ...NEXT]);
      },
    );
    expect(codes).toContain('BACKEND');
  });

  it('twice in a row in the middle of a batch leaves nothing of either', async () => {
    ({ errno, half } = kind);
    only = ['writeSync'];
    const directory = place();
    const session = openSession(directory);
    await session.addItems(OLD);
    for (let round = 0; round < 3; round++) {
      expect(await failing(0, () => session.addItems(NEW))).toMatchObject({ code: 'BACKEND' });
      expect(await session.getItems()).toEqual(OLD);
      expect(await openSession(directory).getItems()).toEqual(OLD);
    }
    await session.addItems(NEXT);
    expect(await openSession(directory).getItems()).toEqual([...OLD, ...NEXT]);
  });

  it('popping is refused or done', async () => {
    await everyCall(
      (directory) => openSession(directory).addItems(OLD),
      (directory) => openSession(directory).popItem(),
      async (directory, outcome) => {
        const found = await openSession(directory).getItems();
        if (outcome === 'done') expect(found).toEqual(OLD.slice(0, 1));
        else if (outcome.code === 'BACKEND') expect(found).toEqual(OLD);
        await openSession(directory).addItems(NEXT);
        expect(await openSession(directory).getItems()).toEqual([...found, ...NEXT]);
      },
    );
  });

  it('clearing, which compacts, is refused or done', async () => {
    const codes = await everyCall(
      (directory) => openSession(directory).addItems(OLD),
      (directory) => openSession(directory).clearSession(),
      async (directory, outcome) => {
        const found = await openSession(directory).getItems();
        if (outcome === 'done') expect(found).toEqual([]);
        else if (outcome.code === 'BACKEND') expect(found).toEqual(OLD);
        await openSession(directory).addItems(NEXT);
        expect(await openSession(directory).getItems()).toEqual([...found, ...NEXT]);
      },
    );
    expect(codes).toContain('done');
  });

  it('deleting a session can be done again, to its end', async () => {
    await everyCall(
      (directory) => openSession(directory).addItems(OLD),
      (directory) => new FileSessionStore({ directory }).delete('chat'),
      async (directory) => {
        expect(await openSession(directory).getItems()).toBeOneOf([[], OLD]);
        await new FileSessionStore({ directory }).delete('chat');
        expect(rawScan(directory)).not.toMatch(/old|chat/);
        await openSession(directory).addItems(NEXT);
        expect(await openSession(directory).getItems()).toEqual(NEXT);
      },
    );
  });

  it('a batch of records is put or not', async () => {
    const ids = async (directory: string) =>
      (await openStore(directory).list({ order: 'oldest' })).items.map(({ id }) => id);
    await everyCall(
      async (directory) => void (await openStore(directory).put({ id: 'old', content: 'heron' })),
      (directory) => openStore(directory).putMany(['a', 'b', 'c'].map((id) => ({ id, content: 'heron' }))),
      async (directory, outcome) => {
        const found = await ids(directory);
        if (outcome === 'done') expect(found).toEqual(['old', 'a', 'b', 'c']);
        else if (outcome.code === 'BACKEND') expect(found).toEqual(['old']);
        else expect(found).toBeOneOf([['old'], ['old', 'a', 'b', 'c']]);
        await openStore(directory).put({ id: 'next', content: 'heron' });
        expect(await ids(directory)).toEqual([...found, 'next']);
      },
    );
  });
});

it('a lock that can not be given back is taken over after a while', async () => {
  ({ errno, half } = { errno: 'EIO', half: false });
  only = ['renameSync'];
  const directory = place();
  await openSession(directory).addItems(OLD);
  expect(await failing(1, () => openSession(directory).addItems(NEW))).toBe('done');
  await openSession(directory).addItems(NEXT);
  expect(await openSession(directory).getItems()).toEqual([...OLD, ...NEW, ...NEXT]);
});
