import { mkdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { Child } from './child.ts';
import { batchOf, type Job, type TestItem } from './children/job.ts';
import { rawScan } from './folder.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

const AT_A_TIME = 3;
const openSession = (directory: string) =>
  new FileSession<TestItem>({ directory, sessionId: 'chat', durability: 'os' });
const openStore = (directory: string) => new FileStore({ directory, name: 'memory', durability: 'os' });

interface Scenario {
  readonly name: string;
  readonly job: Omit<Job, 'directory'>;
  readonly half?: boolean;
  prepare(directory: string): Promise<void>;
  /** Looks at what is left; `done` where the child lived to its end. */
  check(directory: string, done: boolean): Promise<void>;
}

const old = batchOf({ writer: 'old', size: 2, length: 50 }, 0);
const append: Scenario['job'] = { task: 'append', writer: 'new', size: 3, length: 50 };
const added = batchOf({ writer: 'new', size: 3, length: 50 }, 0);

/** Whole or absent; and the next change goes on from there. */
function afterAppend(before: readonly TestItem[]): Scenario['check'] {
  return async (directory, done) => {
    const found = await openSession(directory).getItems();
    expect(found).toBeOneOf(done ? [[...before, ...added]] : [[...before], [...before, ...added]]);
    const next = batchOf({ writer: 'next', size: 2 }, 0);
    await openSession(directory).addItems(next);
    expect(await openSession(directory).getItems()).toEqual([...found, ...next]);
  };
}

const scenarios: Scenario[] = [
  { name: 'the first append of a session', job: append, prepare: async () => {}, check: afterAppend([]) },
  {
    name: 'an append',
    job: append,
    prepare: (directory) => openSession(directory).addItems(old),
    check: afterAppend(old),
  },
  {
    name: 'an append, in the middle of a write',
    job: append,
    half: true,
    prepare: (directory) => openSession(directory).addItems(old),
    check: afterAppend(old),
  },
  {
    name: 'clearing a session, with compaction',
    job: { task: 'clear' },
    prepare: (directory) => openSession(directory).addItems(old),
    async check(directory, done) {
      const found = await openSession(directory).getItems();
      expect(found).toBeOneOf(done ? [[]] : [old, []]);
      await openSession(directory).addItems(added);
      expect(await openSession(directory).getItems()).toEqual([...found, ...added]);
      await openSession(directory).clearSession();
      expect(rawScan(directory)).not.toMatch(/"writer"/);
    },
  },
  {
    name: 'deleting a session',
    job: { task: 'delete' },
    prepare: (directory) => openSession(directory).addItems(old),
    async check(directory, done) {
      const store = new FileSessionStore({ directory, durability: 'os' });
      const found = await openSession(directory).getItems();
      expect(found).toBeOneOf(done ? [[]] : [old, []]);
      expect((await store.list()).items).toHaveLength(found.length > 0 ? 1 : 0);
      expect(await store.delete('chat')).toBe(found.length > 0);
      expect(rawScan(directory)).not.toMatch(/"writer"|chat/);
    },
  },
  {
    name: 'deleting the last record of a store',
    job: { task: 'deleteRecords' },
    async prepare(directory) {
      await openStore(directory).put({ id: 'secret', content: 'sentinel' });
    },
    async check(directory, done) {
      const store = openStore(directory);
      const { items } = await store.list();
      expect(items.map(({ id }) => id)).toBeOneOf(done ? [[]] : [['secret'], []]);
      await store.put({ id: 'next', content: 'heron' });
      await store.delete('secret');
      await store.delete('next');
      expect(rawScan(directory)).not.toMatch(/sentinel|heron/);
    },
  },
];

describe.concurrent('a process that is killed before any call of the file system', () => {
  for (const [n, { name, job, half = false, prepare, check }] of scenarios.entries()) {
    it(`in ${name}`, async () => {
      let next = 0;
      let over = false;
      const interrupted = new Set<string>();
      const lane = async () => {
        while (!over) {
          const call = next++;
          const directory = `${root}/${n}.${call}`;
          mkdirSync(directory);
          await prepare(directory);
          const child = new Child('interrupted', {
            ...job,
            directory,
            interruption: { signal: 'SIGKILL', call, half },
          });
          await child.end;
          const done = child.lines.some((line) => line.startsWith('done'));
          expect(child.lines.some((line) => line.startsWith('failed'))).toBe(false);
          for (const line of child.lines) if (line.startsWith('interrupted')) interrupted.add(line);
          await check(directory, done || child.acknowledged.length > 0);
          over ||= done;
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, lane));
      expect(next).toBeGreaterThan(5);
      expect(interrupted).toContain('interrupted renameSync');
    });
  }
});
