import { step } from '@keepsake/testing/share';
import { count, seconds, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { Child } from '../child.ts';
import type { Interruption } from '../children/interrupted.ts';
import { batchOf, type Job, recordId, type TestItem } from '../children/job.ts';
import { inLanes, places } from './places.ts';

/* Kills the holder of a lock, or stops it and resumes it after another process has taken over. */

const { place } = places();
const openSession = (directory: string) =>
  new FileSession<TestItem>({ directory, sessionId: 'chat', durability: 'os', onCorrupt: refuseDamage });
const openStore = (directory: string) =>
  new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt: refuseDamage });

function refuseDamage(report: unknown): never {
  throw new Error(`Damage was reported: ${JSON.stringify(report)}`);
}

const old = batchOf({ writer: 'old', size: 2 }, 0);
const added = batchOf({ writer: 'new', size: 3, length: 50 }, 0);
const taken = batchOf({ writer: 'taken', size: 2 }, 0);
const toRecords = (items: readonly TestItem[]) =>
  items.map((item) => ({ id: recordId(item), content: `heron ${item.text}` }));
const idsIn = async (directory: string) =>
  (await openStore(directory).list({ order: 'oldest', limit: 1000 })).items.map(({ id }) => id);
const own = (items: readonly TestItem[], writer: string) => items.filter((item) => item.writer === writer);

/** The limit of the specification. A holder is presumed dead after 5 s. */
const TAKEN_OVER_WITHIN_MS = 10_000;

interface Ended {
  readonly child: Child;
  /** The call before which the child was interrupted; `undefined` if it made fewer calls. */
  readonly reached: string | undefined;
  readonly waitedMs: number;
}

/** At most this many children start at a time, because more would distort the measured times. */
const STARTING = 2;
const starts: Promise<unknown>[] = Array.from({ length: STARTING }, () => Promise.resolve());
let started = 0;

/** Starts a child in turn, and waits until it is interrupted or has ended. */
function startInTurn(start: () => Child): Promise<{ child: Child; reached: string | undefined }> {
  const place = started++ % STARTING;
  const turn = (starts[place] as Promise<unknown>).then(async () => {
    const child = start();
    // If it makes fewer calls, it ends without an interruption.
    const reached = await child.line('interrupted').catch(() => undefined);
    if (reached === undefined) await child.end;
    return { child, reached };
  });
  starts[place] = turn.catch(() => undefined);
  return turn;
}

/** Interrupts a child at a call, lets another process take over, and resumes the child. */
async function interrupt(job: Job, interruption: Interruption, takeOver: () => Promise<unknown>): Promise<Ended> {
  const { child, reached } = await startInTurn(() => new Child('interrupted', { ...job, interruption }));
  try {
    if (reached === undefined) return { child, reached, waitedMs: 0 };
    const start = performance.now();
    await takeOver();
    const waitedMs = performance.now() - start;
    expect(waitedMs).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    // It may have reported the stop without having stopped yet.
    const going = setInterval(() => child.kill('SIGCONT'), 50);
    await child.end.finally(() => clearInterval(going));
    return { child, reached, waitedMs };
  } finally {
    child.kill('SIGKILL');
  }
}

/** The outcome that a child reported for its change. */
function outcomeOf({ lines }: Child): string {
  const end = lines.find((line) => /^(?:done|failed)/.test(line)) ?? 'died';
  return end.startsWith('done') ? 'done' : (end.split(' ')[1] ?? end);
}

interface Scenario {
  readonly name: string;
  /** Whether it is left out where only a share of the rounds run. */
  readonly nightly?: boolean;
  readonly job: Omit<Job, 'directory'>;
  readonly interruption?: Partial<Interruption>;
  prepare(directory: string): Promise<unknown>;
  takeOver(directory: string): Promise<unknown>;
  /** Checks the result, given the outcome that the child reported and whether it was interrupted. */
  check(directory: string, outcome: string, interrupted: boolean): Promise<unknown>;
}

const addOld = (directory: string) => openSession(directory).addItems(old);
const addTaken = (directory: string) => openSession(directory).addItems(taken);
const putOld = (directory: string) => openStore(directory).putMany(toRecords(old));
const putTaken = (directory: string) => openStore(directory).putMany(toRecords(taken));

/** Expects the old batch, the successor's batch, and all or nothing of the stopped one's, as it reported. */
function checkAppend(): Scenario['check'] {
  return async (directory, outcome, interrupted) => {
    const items = await openSession(directory).getItems();
    expect(items.slice(0, 2)).toEqual(old);
    expect(own(items, 'taken')).toEqual(interrupted ? taken : []);
    expect(own(items, 'new')).toBeOneOf([[], added]);
    expect(items).toHaveLength(2 + own(items, 'new').length + own(items, 'taken').length);
    if (outcome === 'done') expect(own(items, 'new')).toEqual(added);
    await addTaken(directory);
    expect(await openSession(directory).getItems()).toEqual([...items, ...taken]);
  };
}

function checkPut(): Scenario['check'] {
  return async (directory, outcome, interrupted) => {
    const ids = await idsIn(directory);
    const its = (writer: string) => ids.filter((id) => id.startsWith(writer));
    expect(ids.slice(0, 2)).toEqual(old.map(recordId));
    expect(its('taken')).toEqual(interrupted ? taken.map(recordId) : []);
    expect(its('new')).toBeOneOf([[], added.map(recordId)]);
    if (outcome === 'done') expect(its('new')).toHaveLength(3);
    await openStore(directory).put({ id: 'last', content: 'heron' });
    expect(await idsIn(directory)).toEqual([...ids, 'last']);
  };
}

const append: Scenario['job'] = { task: 'append', writer: 'new', size: 3, length: 50 };
const scenarios: Scenario[] = [
  {
    name: "append, durability 'sync', before each call",
    job: { ...append, durability: 'sync' },
    interruption: { reads: true },
    prepare: addOld,
    takeOver: addTaken,
    check: checkAppend(),
  },
  {
    name: 'append, in the middle of each write',
    nightly: true,
    job: append,
    interruption: { half: true },
    prepare: addOld,
    takeOver: addTaken,
    check: checkAppend(),
  },
  {
    name: 'putMany, before each call',
    nightly: true,
    job: { task: 'putMany', writer: 'new', size: 3 },
    interruption: { reads: true },
    prepare: putOld,
    takeOver: putTaken,
    check: checkPut(),
  },
  {
    name: 'clear of a session with compaction, before each change',
    nightly: true,
    job: { task: 'clear' },
    prepare: addOld,
    takeOver: addTaken,
    async check(directory, outcome, interrupted) {
      const items = await openSession(directory).getItems();
      // The clear may come before or after the takeover or not at all, but each batch is complete or absent.
      if (interrupted) expect(items).toBeOneOf([[], taken, [...old, ...taken]]);
      else expect(items).toEqual([]);
      if (outcome === 'done') expect(own(items, 'old')).toEqual([]);
      await openSession(directory).addItems(added);
      expect(await openSession(directory).getItems()).toEqual([...items, ...added]);
    },
  },
  {
    name: 'delete of the last record with compaction, before each change',
    nightly: true,
    job: { task: 'deleteRecords' },
    prepare: (directory) => openStore(directory).put({ id: 'old', content: 'heron' }),
    takeOver: putTaken,
    async check(directory, outcome, interrupted) {
      const ids = await idsIn(directory);
      if (interrupted) expect(ids.filter((id) => id !== 'old')).toEqual(taken.map(recordId));
      if (outcome === 'done') expect(ids).not.toContain('old');
      await openStore(directory).put({ id: 'last', content: 'heron' });
      expect(await idsIn(directory)).toEqual([...ids, 'last']);
    },
  },
  {
    name: 'delete of a session that another has deleted and made again, before each change',
    nightly: true,
    job: { task: 'delete' },
    prepare: addOld,
    async takeOver(directory) {
      await new FileSessionStore({ directory }).delete('chat');
      await addTaken(directory);
    },
    async check(directory, outcome) {
      expect(outcome).toBe('done');
      const items = await openSession(directory).getItems();
      expect(items).toBeOneOf([[], taken]);
      await openSession(directory).addItems(added);
      expect(await openSession(directory).getItems()).toEqual([...items, ...added]);
    },
  },
  {
    name: 'append to a session that another has deleted and made again, before each call',
    job: append,
    interruption: { reads: true },
    prepare: addOld,
    async takeOver(directory) {
      await new FileSessionStore({ directory }).delete('chat');
      await addTaken(directory);
    },
    async check(directory, outcome, interrupted) {
      const items = await openSession(directory).getItems();
      expect(own(items, 'old')).toEqual(interrupted ? [] : old);
      expect(own(items, 'taken')).toEqual(interrupted ? taken : []);
      expect(own(items, 'new')).toBeOneOf([[], added]);
      // If it reports success without its batch, the batch was deleted with the old session.
      if (outcome === 'done' && own(items, 'new').length === 0) expect(items).toEqual(taken);
    },
  },
];

/** More than the number of calls in any scenario; otherwise the test fails. */
const MOST_CALLS = 200;
/** 1 in a full run. */
const STEP = step(2);

describe.concurrent('a holder that is stopped and resumed', () => {
  for (const { name, nightly = false, job, interruption = {}, prepare, takeOver, check } of scenarios) {
    it(`loses and duplicates nothing: ${name}`, { tags: nightly ? ['nightly'] : [] }, async (context) => {
      const outcomes: string[] = [];
      let longestMs = 0;
      let takeovers = 0;
      let ended = false;
      await inLanes(12, MOST_CALLS, async (n) => {
        if (ended) return;
        const call = n * STEP;
        const directory = place();
        await prepare(directory);
        const { child, reached, waitedMs } = await interrupt(
          { ...job, directory },
          { signal: 'SIGSTOP', call, ...interruption },
          () => takeOver(directory),
        );
        const outcome = outcomeOf(child);
        expect(outcome).toBeOneOf(['done', 'OUTCOME_UNKNOWN']);
        await check(directory, outcome, reached !== undefined);
        if (reached === undefined) ended = true;
        else outcomes.push(outcome);
        longestMs = Math.max(longestMs, waitedMs);
        if (waitedMs > 4000) takeovers++;
      });
      expect(ended).toBe(true);
      // Otherwise, no takeover was tested.
      expect(takeovers).toBeGreaterThan(0);
      const unknown = outcomes.filter((outcome) => outcome !== 'done').length;
      show(
        context,
        14,
        `holder stopped in ${name}${STEP === 1 ? '' : `, at one in ${STEP}`}: ${outcomes.length} stops, ${takeovers} takeovers of its lock, the longest after ${seconds(longestMs)}; after it resumed: ${outcomes.length - unknown} correct acknowledgements, ${unknown} OUTCOME_UNKNOWN, 0 lost, 0 duplicated`,
      );
    });
  }

  it('loses and duplicates nothing: at random moments of a loop of appends', async (context) => {
    const random = randomOf('stops');
    let longestMs = 0;
    let acknowledged = 0;
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const directory = place();
        const session = openSession(directory);
        const child = new Child('worker', { task: 'append', directory, writer: 'new', times: 100_000, size: 5 });
        await child.line('ready');
        child.go();
        await child.line('ok');
        for (let round = 0; round < 3; round++) {
          await new Promise((resolve) => setTimeout(resolve, random() * 100));
          child.kill('SIGSTOP');
          const start = performance.now();
          await session.addItems(taken);
          longestMs = Math.max(longestMs, performance.now() - start);
          child.kill('SIGCONT');
        }
        child.kill('SIGKILL');
        await child.end;
        const items = await openSession(directory).getItems();
        expect(own(items, 'taken')).toHaveLength(6);
        const batches = own(items, 'new').map(({ batch }) => batch);
        expect(batches.length % 5).toBe(0);
        expect(batches).toEqual(batches.map((_, index) => Math.floor(index / 5)));
        const unknown = child.lines.some((line) => line.startsWith('failed OUTCOME_UNKNOWN')) ? 1 : 0;
        expect(batches.length / 5 - child.acknowledged.length).toBeOneOf([0, 1 + unknown, 1]);
        acknowledged += child.acknowledged.length;
      }),
    );
    expect(longestMs).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    show(
      context,
      14,
      `writers stopped and resumed 18 times in loops of appends: ${count(acknowledged)} batches acknowledged, 0 lost, 0 duplicated; another process waited ${seconds(longestMs)} at most`,
    );
  });
});

describe.concurrent('two holders that are stopped in turn', () => {
  it.for(['session', 'store'] as const)('lose no acknowledged change of a %s', async (kind, context) => {
    const directory = place();
    if (kind === 'session') await openSession(directory).addItems(old);
    else await openStore(directory).putMany(toRecords(old));
    const task = kind === 'session' ? 'append' : 'putMany';
    const ids = async () => {
      if (kind === 'store') return idsIn(directory);
      return (await openSession(directory).getItems()).map(recordId);
    };
    // Each stops between acquiring the lock and writing: it has read the end of the log, and the second has taken over.
    const interruption: Interruption = { signal: 'SIGSTOP', call: 1 };
    const stop = async (writer: string) => {
      const child = new Child('interrupted', { task, directory, writer, size: 2, durability: 'os', interruption });
      await child.line('interrupted');
      return child;
    };
    const goOn = async (child: Child) => {
      const going = setInterval(() => child.kill('SIGCONT'), 50);
      await child.end.finally(() => clearInterval(going));
    };
    const first = await stop('first');
    const second = await stop('second');
    try {
      // It tries to write with a lost lock, and acquires the lock again.
      await goOn(first);
      const acknowledged = await ids();
      expect(outcomeOf(first)).toBe('done');
      expect(acknowledged.filter((id) => id.includes('first'))).toHaveLength(2);
      await goOn(second);
      const found = await ids();
      expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(outcomeOf(second)).toBe('done');
      expect(found.filter((id) => id.includes('second'))).toHaveLength(2);
      show(
        context,
        14,
        `${kind}: two holders stopped in turn before they write, and resumed: 4 items acknowledged, 0 lost`,
      );
    } finally {
      for (const child of [first, second]) child.kill('SIGKILL');
    }
  });
});

describe('a holder that is killed', () => {
  it.for([
    { name: 'append', job: append, prepare: addOld, takeOver: addTaken },
    { name: 'putMany', job: { task: 'putMany', writer: 'new', size: 3 } as const, prepare: putOld, takeOver: putTaken },
  ])('in $name is replaced at once', async ({ name, job, prepare, takeOver }, context) => {
    let longestMs = 0;
    let kills = 0;
    for (let call = 0; call < MOST_CALLS; call++) {
      const directory = place();
      await prepare(directory);
      const interruption: Interruption = { signal: 'SIGKILL', call, reads: true };
      const child = new Child('interrupted', { ...job, directory, interruption });
      await child.end;
      if (!child.lines.some((line) => line.startsWith('interrupted'))) break;
      kills++;
      const start = performance.now();
      await takeOver(directory);
      longestMs = Math.max(longestMs, performance.now() - start);
    }
    expect(kills).toBeGreaterThan(10);
    // Long before a holder that is only presumed dead would be replaced.
    expect(longestMs).toBeLessThan(4000);
    show(
      context,
      14,
      `holder killed before each call of ${name}: ${kills} kills, its successor waited ${seconds(longestMs)} at most`,
    );
  });
});
