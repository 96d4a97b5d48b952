import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Lap } from '../contest.ts';
import { byClock, byProcessorTime, type Operation } from '../measure.ts';
import { kindNamed } from './kinds.ts';
import type { OpenSession, SessionKind } from './session-kind.ts';
import { type Turn, textOf, turns } from './turn.ts';

/** What a process does in a contest, a round at a time. */
export interface Work {
  readonly kind: string;
  readonly does: keyof typeof WORK;
  /** Of the history to begin with. */
  readonly items: number;
  /** Where that history stands; or an empty directory, where the work makes it. */
  readonly directory: string;
  /** How many turns to append a round, or how often to read. Fewer, where that takes long. */
  readonly times: number;
  /** To how many sessions, where they are made anew for every round. */
  readonly sessions?: number;
}

export interface Worker {
  round(): Promise<Lap>;
  /** Throws unless all is there that is to be there. */
  check(): Promise<void>;
}

const NEWEST = 20;

const WORK = { appendToNew, appendToOld, appendFirst, readFresh, read };

/** Gets ready for work. */
export function prepare(work: Work): Promise<Worker> {
  return WORK[work.does](work, kindNamed(work.kind));
}

/** Appends to sessions that are made anew for every round. */
async function appendToNew({ items, directory, times, sessions = 1 }: Work, kind: SessionKind): Promise<Worker> {
  const begin = turns(items / 2);
  const more = turns(times, begin.length);
  return {
    async round() {
      const opened = await Promise.all(
        Array.from({ length: sessions }, async () => {
          const own = mkdtempSync(join(directory, 'session-'));
          return { own, session: await kind.open(own, begin) };
        }),
      );
      const append: Operation = (index) =>
        opened[Math.floor(index / times)]?.session.append(more[index % times] as Turn);
      const lap = await measure(kind)(times * sessions, append);
      for (const [index, { own, session }] of opened.entries()) {
        await expectTurns(session, [...begin, ...more.slice(0, Math.max(0, lap.count - index * times))]);
        rmSync(own, { recursive: true });
      }
      return lap;
    },
    async check() {},
  };
}

/** Appends to one session, round after round. */
async function appendToOld({ items, directory, times }: Work, kind: SessionKind): Promise<Worker> {
  const session = await kind.open(directory, kind.layout === undefined ? turns(items / 2) : []);
  // What an instance does when it is first used is measured by itself.
  await session.newest(1);
  return appendWith(
    (turn) => session.append(turn),
    async () => session,
    items,
    times,
    kind,
  );
}

/** Opens a session for every append, as a new process does. */
async function appendFirst({ items, directory, times }: Work, kind: SessionKind): Promise<Worker> {
  const append = async (turn: Turn) => (await kind.open(directory)).append(turn);
  return appendWith(append, () => kind.open(directory), items, times, kind);
}

/** Appends to a history that grows from round to round. */
function appendWith(
  append: OpenSession['append'],
  open: () => Promise<OpenSession>,
  items: number,
  times: number,
  kind: SessionKind,
): Worker {
  const more = turns(times);
  const appended: Turn[] = [];
  return {
    async round() {
      const lap = await measure(kind)(times, (index) => append(more[index] as Turn));
      appended.push(...more.slice(0, lap.count));
      return lap;
    },
    check: async () => expectTurns(await open(), [...turns(items / 2), ...appended]),
  };
}

/** Opens a session for every read of the newest items, as a new process does. */
async function readFresh({ directory, times, items }: Work, kind: SessionKind): Promise<Worker> {
  const expected = newestTexts(items);
  const read = async () => expectTexts(await (await kind.open(directory)).newest(NEWEST), expected);
  return { round: () => byClock(times, read), async check() {} };
}

/** Reads the newest items by a session that has read before. */
async function read({ directory, times, items }: Work, kind: SessionKind): Promise<Worker> {
  const expected = newestTexts(items);
  const session = await kind.open(directory);
  const again = async () => expectTexts(await session.newest(NEWEST), expected);
  return { round: () => byClock(times, again), async check() {} };
}

function measure({ layout }: SessionKind): typeof byClock {
  return layout === undefined ? byProcessorTime : byClock;
}

function newestTexts(items: number): string[] {
  return turns(NEWEST / 2, (items - NEWEST) / 2).flatMap((turn) => turn.items.map(textOf));
}

async function expectTurns(session: OpenSession, expected: readonly Turn[]): Promise<void> {
  expectTexts(
    await session.newest(Infinity),
    expected.flatMap(({ items }) => items.map(textOf)),
  );
}

function expectTexts(texts: readonly string[], expected: readonly string[]): void {
  const same = texts.length === expected.length && expected.every((text, index) => text === texts[index]);
  if (!same) throw new Error('The session does not hold what was appended.');
}
