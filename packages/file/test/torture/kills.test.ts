import type { MemoryRecord, Page } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { Child } from '../child.ts';
import { batchOf, type Job, type Plan, recordId, type TestItem } from '../children/job.ts';
import { afterStep, stepOf } from '../children/plan.ts';
import { rawScan } from '../folder.ts';
import { inLanes, places } from './places.ts';

const { place } = places();
const AT_A_TIME = 3;
const openSession = (directory: string) =>
  new FileSession<TestItem>({ directory, sessionId: 'chat', durability: 'os', onCorrupt: refuseDamage });
const openStore = (directory: string) =>
  new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt: refuseDamage });

/** A kill must not damage anything. */
function refuseDamage(report: unknown): never {
  throw new Error(`Damage was reported: ${JSON.stringify(report)}`);
}

/** The target of a killed process, and how to read it. */
interface Subject {
  readonly task: Job['task'];
  read(directory: string): Promise<string[]>;
  /** The result of {@link read} for these items. */
  expected(items: readonly TestItem[]): string[];
  /** Adds items from another process. They must not merge with the remains of a killed write. */
  add(directory: string, items: TestItem[]): Promise<void>;
}

const session: Subject = {
  task: 'followPlan',
  read: async (directory) => (await openSession(directory).getItems()).map((item) => JSON.stringify(item)),
  expected: (items) => items.map((item) => JSON.stringify(item)),
  add: (directory, items) => openSession(directory).addItems(items),
};
const store: Subject = {
  task: 'followRecordPlan',
  async read(directory) {
    const store = openStore(directory);
    const items: MemoryRecord[] = [];
    let page: Page<MemoryRecord> | undefined;
    do {
      page = await store.list({ order: 'oldest', limit: 1000, ...(page?.cursor ? { cursor: page.cursor } : {}) });
      items.push(...page.items);
    } while (page.cursor !== undefined);
    // Every indexed record must be found.
    expect((await store.search('heron', { maxSearchResults: 100_000 })).length).toBe(
      items.filter(({ content }) => content.length < 1000).length,
    );
    return items.map(({ id, content }) => `${id} ${content.length}`);
  },
  expected: (items) => items.map((item) => `${recordId(item)} ${Math.min(item.text.length, 300_000) + 6}`),
  async add(directory, items) {
    await openStore(directory).putMany(items.map((item) => ({ id: recordId(item), content: `heron ${item.text}` })));
  },
};

/** Kills processes that follow a plan at random moments, several in a row in each directory. */
async function killAtRandom(name: string, subject: Subject, plan: Plan, directories: number, perDirectory: number) {
  const random = randomOf(name);
  let acknowledged = 0;
  let unacknowledged = 0;
  await inLanes(AT_A_TIME, directories, async (n) => {
    const directory = place();
    let items: readonly TestItem[] = [];
    for (let kill = 0; kill < perDirectory; kill++) {
      const writer = `${n}.${kill}`;
      const child = new Child('worker', { task: subject.task, directory, writer, plan });
      await child.line('ready');
      child.go();
      // Every other process makes more than one change, so that some are killed in the middle of their plans.
      await child.acknowledges(1 + (kill % 2));
      await new Promise((resolve) => setTimeout(resolve, random() * 25));
      child.kill('SIGKILL');
      await child.end;
      expect(child.lines.some((line) => /^(?:done|failed)/.test(line))).toBe(false);

      const done = child.acknowledged.length;
      acknowledged += done;
      for (let step = 0; step < done; step++) items = after(items, plan, writer, step);
      const found = await subject.read(directory);
      const next = after(items, plan, writer, done);
      if (found.join() !== subject.expected(items).join()) {
        expect(found).toEqual(subject.expected(next));
        items = next;
        unacknowledged++;
      }
      const own = batchOf({ writer: `after ${writer}`, size: 2 }, 0);
      await subject.add(directory, own);
      items = [...items, ...own];
      expect(await subject.read(directory)).toEqual(subject.expected(items));
    }
  });
  expect(acknowledged + unacknowledged).toBeGreaterThan(directories * perDirectory);
  return { acknowledged, unacknowledged };
}

function after(items: readonly TestItem[], plan: Plan, writer: string, n: number): readonly TestItem[] {
  return afterStep(items, stepOf(plan, writer, n));
}

const PER_DIRECTORY = 5;

const random: { name: string; subject: Subject; plan: Plan; directories: number }[] = [
  { name: 'sessions: kill -9 during append', subject: session, plan: 'append', directories: rounds(40) },
  { name: 'stores: kill -9 during putMany', subject: store, plan: 'append', directories: rounds(40) },
  { name: 'sessions: kill -9 among compactions', subject: session, plan: 'compact', directories: rounds(12, 2) },
  { name: 'stores: kill -9 among compactions', subject: store, plan: 'compact', directories: rounds(12, 2) },
  { name: 'sessions: kill -9 among clears', subject: session, plan: 'clear', directories: rounds(12, 2) },
  { name: 'stores: kill -9 among clears', subject: store, plan: 'clear', directories: rounds(12, 2) },
];

describe('processes killed at random moments lose no acknowledged change', () => {
  it.for(random)('$name', async ({ name, subject, plan, directories }, context) => {
    const { acknowledged, unacknowledged } = await killAtRandom(name, subject, plan, directories, PER_DIRECTORY);
    show(
      context,
      11,
      `${name}: ${directories * PER_DIRECTORY} kills, ${count(acknowledged)} changes acknowledged, 0 lost; ${unacknowledged} unacknowledged changes were there completely, 0 partially`,
    );
  });
});

interface Scenario {
  readonly name: string;
  readonly job: Omit<Job, 'directory'>;
  /** Kills in the middle of calls that write. */
  readonly half?: boolean;
  /** Whether it is left out where only a share of the rounds run. */
  readonly nightly?: boolean;
  prepare(directory: string): Promise<unknown>;
  /** Checks the result; `done` if the change was acknowledged. */
  check(directory: string, done: boolean): Promise<void>;
}

const old = batchOf({ writer: 'old', size: 2, length: 50 }, 0);
const added = batchOf({ writer: 'new', size: 3, length: 50 }, 0);
const big = batchOf({ writer: 'big', length: 1_100_000 }, 0);
const append: Scenario['job'] = { task: 'append', writer: 'new', size: 3, length: 50 };
const putMany: Scenario['job'] = { task: 'putMany', writer: 'new', size: 3 };
const oldRecords = old.map((item) => ({ id: recordId(item), content: 'heron' }));

/** Expects the state before or after the change, or only after it if acknowledged, and that writing still works. */
function beforeOrAfter(before: readonly TestItem[], after: readonly TestItem[]): Scenario['check'] {
  return async (directory, done) => {
    const found = await openSession(directory).getItems();
    expect(found).toBeOneOf(done ? [[...after]] : [[...before], [...after]]);
    const next = batchOf({ writer: 'next', size: 2 }, 0);
    await openSession(directory).addItems(next);
    expect(await openSession(directory).getItems()).toEqual([...found, ...next]);
  };
}

function recordsBeforeOrAfter(before: readonly string[], after: readonly string[]): Scenario['check'] {
  return async (directory, done) => {
    const ids = async () => (await openStore(directory).list({ order: 'oldest' })).items.map(({ id }) => id);
    const found = await ids();
    expect(found).toBeOneOf(done ? [[...after]] : [[...before], [...after]]);
    await openStore(directory).put({ id: 'next', content: 'heron' });
    expect(await ids()).toEqual([...found, 'next']);
  };
}

const addOld = (directory: string) => openSession(directory).addItems(old);
const putOld = (directory: string) => openStore(directory).putMany(oldRecords);
const oldIds = oldRecords.map(({ id }) => id);
const newIds = added.map(recordId);

const scenarios: Scenario[] = [
  { name: 'the first append', job: append, prepare: async () => {}, check: beforeOrAfter([], added) },
  { name: 'an append', job: append, prepare: addOld, check: beforeOrAfter(old, [...old, ...added]) },
  {
    name: 'an append, in the middle of a write',
    job: append,
    half: true,
    prepare: addOld,
    check: beforeOrAfter(old, [...old, ...added]),
  },
  {
    name: 'a transaction, which is then retried',
    nightly: true,
    job: { ...append, task: 'transact' },
    prepare: addOld,
    async check(directory, done) {
      const transaction = { type: 'append_items' as const, items: added };
      const expected = [...old, ...added];
      if (done) expect(await openSession(directory).getItems()).toEqual(expected);
      await openSession(directory).applyHistoryTransaction({ operationId: 'new 0', transaction });
      expect(await openSession(directory).getItems()).toEqual(expected);
    },
  },
  {
    name: 'pops that compact',
    nightly: true,
    job: { task: 'pop' },
    prepare: (directory) => openSession(directory).addItems([...old, ...big]),
    async check(directory, done) {
      const found = await openSession(directory).getItems();
      const all = [...old, ...big];
      expect(found).toEqual(all.slice(0, found.length));
      if (done) expect(found.length).toBeLessThan(3);
      await openSession(directory).addItems(added);
      expect(await openSession(directory).getItems()).toEqual([...found, ...added]);
    },
  },
  {
    name: 'clearing a session',
    job: { task: 'clear' },
    prepare: addOld,
    async check(directory, done) {
      await beforeOrAfter(old, [])(directory, done);
      await openSession(directory).clearSession();
      expect(rawScan(directory)).not.toMatch(/"writer"/);
    },
  },
  {
    name: 'deleting a session',
    nightly: true,
    job: { task: 'delete' },
    prepare: addOld,
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
    name: 'the first batch of a store',
    job: putMany,
    prepare: async () => {},
    check: recordsBeforeOrAfter([], newIds),
  },
  {
    name: 'a batch of a store, in the middle of a write',
    job: putMany,
    half: true,
    prepare: putOld,
    check: recordsBeforeOrAfter(oldIds, [...oldIds, ...newIds]),
  },
  {
    name: 'clearing a store',
    job: { task: 'clearRecords' },
    prepare: putOld,
    async check(directory, done) {
      await recordsBeforeOrAfter(oldIds, [])(directory, done);
      await openStore(directory).clear();
      expect(rawScan(directory)).not.toMatch(/old 0|heron/);
    },
  },
  {
    name: 'deleting the last record of a store',
    nightly: true,
    job: { task: 'deleteRecords' },
    prepare: (directory) => openStore(directory).put({ id: 'secret', content: 'sentinel' }),
    async check(directory, done) {
      await recordsBeforeOrAfter(['secret'], [])(directory, done);
      const store = openStore(directory);
      await store.delete('secret');
      await store.delete('next');
      expect(rawScan(directory)).not.toMatch(/sentinel|heron/);
    },
  },
];

/** Kills a process before each file system call that changes something, until the job has fewer calls. */
async function killAtEveryCall({ job, half = false, prepare, check }: Scenario): Promise<number> {
  const interrupted = new Set<string>();
  let kills = 0;
  let over = false;
  await inLanes(AT_A_TIME, 500, async (call) => {
    if (over) return;
    const directory = place();
    await prepare(directory);
    const child = new Child('interrupted', { ...job, directory, interruption: { signal: 'SIGKILL', call, half } });
    await child.end;
    expect(child.lines.filter((line) => line.startsWith('failed'))).toEqual([]);
    const at = child.lines.find((line) => line.startsWith('interrupted'));
    if (at === undefined) {
      expect(child.lines.at(-1)).toMatch(/^done/);
      over = true;
    } else {
      kills++;
      interrupted.add(at);
    }
    await check(directory, at === undefined || child.acknowledged.length > 0);
  });
  expect(over).toBe(true);
  expect(kills).toBeGreaterThan(half ? 0 : 2);
  if (!half) expect([...interrupted].join()).toMatch(/rename/);
  return kills;
}

describe('a change whose process is killed before any of its file system calls', () => {
  for (const scenario of scenarios) {
    const { name, nightly = false } = scenario;
    it(`is complete or absent: ${name}`, { tags: nightly ? ['nightly'] : [] }, async (context) => {
      const kills = await killAtEveryCall(scenario);
      show(
        context,
        11,
        `kill -9 before each call that changes a file, in ${name}: ${kills} kills, each time complete or absent; the next change works`,
      );
    });
  }
});
