import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryError } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { step } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { type Call, type Fault, quiet, watchCalls } from '../children/watch-calls.ts';
import { rawScan } from '../folder.ts';
import { Snapshot } from './logs.ts';
import { places } from './places.ts';

/* Makes the n-th file system call of an operation fail, for every n, until the operation has fewer calls. */

const { place } = places();

let injected: ((call: Call) => Fault | undefined) | undefined;
watchCalls((call) => injected?.(call));
// Imported after the calls are watched.
const { FileSession, FileSessionStore, FileStore } = await import('../../src/index.ts');

/** A way in which a disk fails. */
interface Failure {
  readonly name: string;
  /** Whether it is left out where only a share of the rounds run. */
  readonly nightly?: boolean;
  readonly code: 'ENOSPC' | 'EIO';
  /** Whether a call is counted, and so can be the n-th. */
  counts(call: Call): boolean;
  readonly fault: Fault;
  /** Whether all later calls that take space fail too. */
  readonly stays: boolean;
  /** Whether every change succeeds anyway. */
  readonly harmless?: boolean;
  /** The step between the calls that fail. 1 in a full run. */
  readonly step: number;
}

const NO_SPACE: Fault = { code: 'ENOSPC' };
/** The steps between the calls that fail: writes are few, so one in three at most. */
const [EACH_CALL, EACH_WRITE] = [step(20), step(3)];
const failures: Failure[] = [
  {
    name: 'ENOSPC, once',
    nightly: true,
    code: 'ENOSPC',
    counts: ({ changes }) => changes,
    fault: NO_SPACE,
    stays: false,
    step: EACH_CALL,
  },
  {
    name: 'ENOSPC, from then on',
    code: 'ENOSPC',
    counts: ({ takesSpace }) => takesSpace,
    fault: NO_SPACE,
    stays: true,
    step: EACH_CALL,
  },
  {
    name: 'ENOSPC, after half of a write',
    nightly: true,
    code: 'ENOSPC',
    counts: ({ writes }) => writes,
    fault: { code: 'ENOSPC', half: true },
    stays: true,
    step: EACH_WRITE,
  },
  {
    name: 'a short write',
    nightly: true,
    code: 'EIO',
    counts: isPlainWrite,
    fault: 'short',
    stays: false,
    harmless: true,
    step: EACH_WRITE,
  },
  {
    name: 'a short write, then ENOSPC',
    nightly: true,
    code: 'ENOSPC',
    counts: isPlainWrite,
    fault: 'short',
    stays: true,
    step: EACH_WRITE,
  },
  { name: 'EIO, once', code: 'EIO', counts: () => true, fault: { code: 'EIO' }, stays: false, step: EACH_CALL },
  {
    name: 'EIO, after half of a write',
    nightly: true,
    code: 'EIO',
    counts: ({ writes }) => writes,
    fault: { code: 'EIO', half: true },
    stays: false,
    step: EACH_WRITE,
  },
];

/** Only these calls can report that they wrote fewer bytes than requested. */
function isPlainWrite({ name }: Call): boolean {
  return ['writeSync', 'write', 'handle.write', 'writevSync', 'writev', 'handle.writev'].includes(name);
}

type Outcome = 'done' | MemoryError;

/** Runs `use` while the n-th call fails, and returns the outcome; `undefined` if it has fewer calls. */
async function failing(
  n: number,
  failure: Omit<Failure, 'step'>,
  use: () => Promise<unknown>,
): Promise<Outcome | undefined> {
  let left = n;
  let failed = false;
  injected = (call) => {
    if (failed) return failure.stays && call.takesSpace ? { code: failure.code } : undefined;
    if (!failure.counts(call) || left-- > 0) return undefined;
    failed = true;
    return failure.fault;
  };
  try {
    const outcome = await use().then(
      () => 'done' as const,
      (error) => error as MemoryError,
    );
    await quiet();
    if (!failed && outcome !== 'done') throw outcome;
    return failed ? outcome : undefined;
  } finally {
    injected = undefined;
  }
}

/** Releases the locks whose release failed, so that nobody waits for a takeover. */
function freeLocks(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (name.includes('-held-')) renameSync(join(directory, name), join(directory, name.replace(/-held-.*$/, '-free')));
  }
}

/** An operation on a session or a store, and its expected results. */
interface Scenario<Subject> {
  readonly name: string;
  prepare(subject: Subject): Promise<unknown>;
  use(subject: Subject, directory: string): Promise<unknown>;
  /** The contents before and after the operation. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Whether it can fail after everything is already removed; repeating it completes it. */
  readonly removes?: boolean;
  /** Whether it is complete after one write; a later failure of the compaction does not make it fail. */
  readonly compacts?: boolean;
  /** Must not match any file after the operation is repeated. */
  readonly gone?: RegExp;
}

/** Sessions or stores. */
interface Kind<Subject> {
  readonly name: string;
  open(directory: string): Subject;
  read(subject: Subject): Promise<string[]>;
  add(subject: Subject, text: string): Promise<unknown>;
  readonly scenarios: readonly Scenario<Subject>[];
}

type Session = InstanceType<typeof FileSession<{ text: string }>>;
type Store = InstanceType<typeof FileStore>;

const items = (...texts: string[]) => texts.map((text) => ({ text }));
const records = (...ids: string[]) => ids.map((id) => ({ id, content: `heron ${id}` }));
/** Two of these make a log of over 1 MiB. */
const long = (...ids: string[]) => ids.map((id) => ({ id, content: `heron ${id}${' '.repeat(600_000)}` }));
const OLD = ['old 1', 'old 2'];
const NEW = ['new 1', 'new 2', 'new 3'];
const BIG = 'big'.repeat(400_000);

const sessions: Kind<Session> = {
  name: 'sessions',
  open: (directory) => new FileSession<{ text: string }>({ directory, sessionId: 'chat', onCorrupt: refuseDamage }),
  read: async (session) => (await session.getItems()).map(({ text }) => text),
  add: (session, text) => session.addItems([{ text }]),
  scenarios: [
    {
      name: 'the first append',
      prepare: async () => {},
      use: (session) => session.addItems(items(...NEW)),
      before: [],
      after: NEW,
    },
    {
      name: 'append',
      prepare: (session) => session.addItems(items(...OLD)),
      use: (session) => session.addItems(items(...NEW)),
      before: OLD,
      after: [...OLD, ...NEW],
    },
    {
      name: 'pop',
      prepare: (session) => session.addItems(items(...OLD)),
      use: (session) => session.popItem(),
      before: OLD,
      after: OLD.slice(0, 1),
    },
    {
      name: 'transaction',
      prepare: (session) => session.addItems(items(...OLD)),
      use: (session) => replaceNewest(session),
      before: OLD,
      after: [...OLD.slice(0, 1), ...NEW],
    },
    {
      name: 'clear',
      compacts: true,
      prepare: (session) => session.addItems(items(...OLD)),
      use: (session) => session.clearSession(),
      before: OLD,
      after: [],
      gone: /old/,
    },
    {
      name: 'pop with compaction',
      compacts: true,
      prepare: (session) => session.addItems(items(...OLD, BIG)),
      use: (session) => session.popItem(),
      before: [...OLD, BIG],
      after: OLD,
    },
    {
      name: 'swap for other items, with compaction',
      compacts: true,
      prepare: (session) => session.addItems(items(...OLD, BIG)),
      use: (session) => session.replaceHistoryWithCompaction(items(...NEW)),
      before: [...OLD, BIG],
      after: NEW,
    },
    {
      name: 'remove',
      prepare: (session) => session.addItems(items(...OLD)),
      use: (_, directory) => new FileSessionStore({ directory }).delete('chat'),
      before: OLD,
      after: [],
      removes: true,
      gone: /old|chat/,
    },
  ],
};

const stores: Kind<Store> = {
  name: 'stores',
  open: (directory) => new FileStore({ directory, name: 'memory', onCorrupt: refuseDamage }),
  async read(store) {
    const { items } = await store.list({ order: 'oldest' });
    // Records and their search entries must match.
    const found = await store.search('heron', { maxSearchResults: 100 });
    expect(found.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    return items.map(({ id, version }) => `${id}, put ${putCount(version)}`);
  },
  add: (store, text) => store.put({ id: text, content: 'heron' }),
  scenarios: [
    {
      name: 'the first put',
      prepare: async () => {},
      use: (store) => store.put({ id: 'new', content: 'heron' }),
      before: [],
      after: versions('new'),
    },
    {
      name: 'put of a batch',
      prepare: (store) => store.putMany(records(...OLD)),
      use: (store) => store.putMany(records(...NEW)),
      before: versions(...OLD),
      after: versions(...OLD, ...NEW),
    },
    {
      name: 'put over a record',
      prepare: (store) => store.putMany(records(...OLD)),
      use: (store) => store.put({ id: 'old 1', content: 'heron again' }),
      before: versions(...OLD),
      after: ['old 1, put 2', 'old 2, put 1'],
    },
    {
      name: 'delete',
      prepare: (store) => store.putMany(records(...OLD)),
      use: (store) => store.delete('old 1'),
      before: versions(...OLD),
      after: versions('old 2'),
    },
    {
      name: 'delete of the last record',
      compacts: true,
      prepare: (store) => store.putMany(records('old')),
      use: (store) => store.delete('old'),
      before: versions('old'),
      after: [],
      gone: /old/,
    },
    {
      name: 'delete with compaction',
      compacts: true,
      prepare: (store) =>
        store.putMany([...records(...OLD), { id: 'big', content: `heron ${BIG.slice(0, 1_048_000)}` }]),
      use: (store) => store.delete('big'),
      before: versions(...OLD, 'big'),
      after: versions(...OLD),
    },
    {
      name: 'put into a long log, and close',
      prepare: (store) => store.putMany(long(...OLD)),
      async use(_, directory) {
        const own = stores.open(directory);
        await own.putMany(long(...NEW));
        await own.close();
      },
      before: versions(...OLD),
      after: versions(...OLD, ...NEW),
    },
    {
      name: 'clear',
      prepare: (store) => store.putMany(records(...OLD)),
      use: (store) => store.clear(),
      before: versions(...OLD),
      after: [],
      removes: true,
      gone: /old|heron/,
    },
  ],
};

function versions(...ids: string[]): string[] {
  return ids.map((id) => `${id}, put 1`);
}

function replaceNewest(session: Session): Promise<void> {
  const transaction = {
    type: 'replace_suffix' as const,
    expectedSuffix: items(...OLD.slice(1)),
    replacement: items(...NEW),
  };
  return session.applyHistoryTransaction({ operationId: 'one', transaction });
}

/** A failing disk must not be reported as damage. */
function refuseDamage(report: unknown): never {
  throw new Error(`Damage was reported: ${JSON.stringify(report)}`);
}

/** Makes one call after the other fail in a scenario, and returns the number of failures. */
async function failEveryCall<S>(kind: Kind<S>, scenario: Scenario<S>, failure: Failure): Promise<number> {
  const directory = place();
  await scenario.prepare(kind.open(directory));
  await quiet();
  const snapshot = new Snapshot(directory);
  let refused = 0;
  for (let n = 0, failed = 0; ; n += failure.step, failed++) {
    const own = join(directory, '..', `${directory.split('/').at(-1)} ${n}`);
    snapshot.copyTo(own);
    const subject = kind.open(own);
    const outcome = await failing(n, failure, () => scenario.use(subject, own));
    try {
      if (outcome === undefined) {
        expect(await kind.read(kind.open(own))).toEqual(scenario.after);
        if (scenario.compacts && failure.name === 'ENOSPC, from then on') expect(refused).toBe(1);
        return failed;
      }
      if (outcome !== 'done') refused++;
      if (failure.harmless) expect(outcome).toBe('done');
      // If there was no space, the error must state that nothing was written.
      if (failure.stays) expect(outcome === 'done' ? outcome : outcome.code).toBeOneOf(['done', 'BACKEND']);
      await check(kind, scenario, subject, own, outcome);
    } catch (error) {
      throw new Error(`${kind.name}, ${scenario.name}, call ${n} fails with ${failure.name}`, { cause: error });
    }
  }
}

async function check<S>(kind: Kind<S>, scenario: Scenario<S>, subject: S, directory: string, outcome: Outcome) {
  const { before, after, removes = false, gone } = scenario;
  if (outcome !== 'done') {
    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(BACKEND|OUTCOME_UNKNOWN)$/) });
    expect(outcome.cause).toBeDefined();
    expect(outcome.message).not.toMatch(/new|old|chat|heron/);
  }
  freeLocks(directory);
  const found = await kind.read(kind.open(directory));
  if (outcome === 'done') expect(found).toEqual(after);
  else if (outcome.code === 'BACKEND' && !removes) expect(found).toEqual(before);
  else expect(found).toBeOneOf([[...before], [...after]]);
  // The instance that had the failure reads the same, and both can continue.
  expect(await kind.read(subject)).toEqual(found);
  if (scenario.name === 'transaction') {
    await replaceNewest(subject as Session);
    expect(await kind.read(kind.open(directory))).toEqual(after);
  }
  await kind.add(subject, 'next');
  await kind.add(kind.open(directory), 'and next');
  const all = await kind.read(kind.open(directory));
  expect(all).toHaveLength((scenario.name === 'transaction' ? after : found).length + 2);
  expect(all.slice(0, -2)).toEqual(scenario.name === 'transaction' ? after : found);
  expect(await kind.read(subject)).toEqual(all);
  if (gone === undefined) return;
  await scenario.use(kind.open(directory), directory);
  // Deleting one record leaves those that were added since.
  if (kind.name === 'sessions' || removes) expect(rawScan(directory).replaceAll(directory, '')).not.toMatch(gone);
}

function failAll<S>(kind: Kind<S>) {
  for (const failure of failures) {
    const { name, nightly = false } = failure;
    it(`of ${kind.name} are complete or refused, with ${name}`, {
      tags: nightly ? ['nightly'] : [],
    }, async (context) => {
      const figures: string[] = [];
      let calls = 0;
      for (const scenario of kind.scenarios) {
        const failed = await failEveryCall(kind, scenario, failure);
        figures.push(`${scenario.name} ${failed}`);
        calls += failed;
      }
      expect(calls).toBeGreaterThan(kind.scenarios.length - 1);
      show(
        context,
        13,
        `${kind.name}: ${failure.name}, ${failure.step === 1 ? 'at the n-th call for every n' : `at the n-th call for one n in ${failure.step}`}: ${count(calls)} failures in ${figures.length} changes (${figures.join(', ')}), each change refused or complete, 0 earlier records lost`,
      );
    });
  }
}

describe('changes on a failing disk', () => {
  failAll(sessions);
  failAll(stores);
});

describe('reads on a failing disk', () => {
  it('of sessions and stores are complete, or an error', async (context) => {
    const directory = place();
    await sessions.open(directory).addItems(items(...OLD));
    await stores.open(directory).putMany(records(...OLD));
    await stores.open(directory).within(['below']).put({ id: 'below', content: 'heron' });
    const reads: { name: string; read(): Promise<unknown> }[] = [
      { name: 'getItems', read: () => sessions.open(directory).getItems() },
      { name: 'getItems(1)', read: () => sessions.open(directory).getItems(1) },
      { name: 'list of sessions', read: async () => (await new FileSessionStore({ directory }).list()).items },
      { name: 'get', read: () => stores.open(directory).get('old 1') },
      { name: 'list', read: async () => (await stores.open(directory).list()).items },
      { name: 'search', read: () => stores.open(directory).search('heron') },
      { name: 'namespaces', read: async () => (await stores.open(directory).namespaces()).items },
    ];
    const failure = failures.find(({ name }) => name === 'EIO, once') as Failure;
    const figures: string[] = [];
    for (const { name, read } of reads) {
      const whole = await read();
      expect(JSON.stringify(whole)).toMatch(/old|chat|below/);
      let n = 0;
      for (; ; n++) {
        let result: unknown;
        const outcome = await failing(n, failure, async () => {
          result = await read();
        });
        if (outcome === 'done' || outcome === undefined) expect(result).toEqual(whole);
        else expect(outcome).toMatchObject({ code: 'BACKEND', cause: { code: 'EIO' } });
        if (outcome === undefined) break;
      }
      expect(n).toBeGreaterThan(3);
      figures.push(`${name} ${n}`);
    }
    show(
      context,
      13,
      `reads: EIO at the n-th call for every n (${figures.join(', ')}): an error or the complete result, never less`,
    );
  });
});

it('a batch that repeatedly fails in the middle leaves nothing behind', async (context) => {
  const failure = failures.find(({ name }) => name === 'ENOSPC, after half of a write') as Failure;
  const directory = place();
  const session = sessions.open(directory);
  await session.addItems(items(...OLD));
  for (let round = 0; round < 20; round++) {
    expect(await failing(0, failure, () => session.addItems(items(...NEW)))).toMatchObject({ code: 'BACKEND' });
    expect(await sessions.read(session)).toEqual(OLD);
    expect(await sessions.read(sessions.open(directory))).toEqual(OLD);
  }
  await sessions.add(session, 'next');
  expect(await sessions.read(sessions.open(directory))).toEqual([...OLD, 'next']);
  show(
    context,
    13,
    'sessions: half of a batch written 20 times in a row: none of it is read, and the next batch is read back',
  );
});

it('a lock that cannot be released is taken over after a while', async (context) => {
  const directory = place();
  await sessions.open(directory).addItems(items(...OLD));
  const releaseFails: Omit<Failure, 'step'> = {
    name: 'EIO when the lock is released',
    code: 'EIO',
    counts: ({ name }) => /rename/.test(name),
    fault: { code: 'EIO' },
    stays: false,
  };
  // The first rename acquires the lock.
  expect(await failing(1, releaseFails, () => sessions.open(directory).addItems(items(...NEW)))).toBe('done');
  await sessions.add(sessions.open(directory), 'next');
  expect(await sessions.read(sessions.open(directory))).toEqual([...OLD, ...NEW, 'next']);
  show(
    context,
    13,
    'sessions: EIO when the lock is released: the change is complete, and the next writer takes over the lock',
  );
});
