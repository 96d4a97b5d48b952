import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Lap } from '../contest.ts';
import { byClock, byProcessorTime } from '../measure.ts';
import { kindNamed } from './kinds.ts';
import type { OpenSession, SessionKind } from './session-kind.ts';
import { type Turn, textOf, turns } from './turn.ts';

/** What a process does in a contest, one round at a time. */
export interface Work {
  readonly kind: string;
  readonly does: 'appendToNew' | 'appendToOld' | 'read';
  /** Opens the session for every operation, as a new process would. */
  readonly fresh?: boolean;
  /** The length of the initial history. */
  readonly items: number;
  /** The directory of that history, or an empty one if the work creates it. */
  readonly directory: string;
  /** The number of turns to append, or of reads, per round. Fewer if that takes long. */
  readonly times: number;
  /** The number of sessions, if they are new in every round. */
  readonly sessions?: number;
}

export interface Worker {
  round(): Promise<Lap>;
  /** Throws if the result is incomplete. */
  check(): Promise<void>;
}

type Prepare = (work: Work, kind: SessionKind) => Promise<Worker>;

const NEWEST = 20;

/** Appends to new sessions in every round. */
const appendToNew: Prepare = async ({ items, directory, times, sessions = 1, ...work }, kind) => {
  const begin = turns(items / 2);
  const more = turns(times, begin.length);
  return {
    async round() {
      const opened = await Promise.all(
        Array.from({ length: sessions }, async () => {
          const own = mkdtempSync(join(directory, 'session-'));
          const session = await kind.open(own, begin);
          return { own, session, append: appender(work, kind, own, session) };
        }),
      );
      const lap = await measure(kind)(times * sessions, (index) =>
        opened[Math.floor(index / times)]?.append(more[index % times] as Turn),
      );
      for (const [index, { own, session }] of opened.entries()) {
        await expectTurns(session, [...begin, ...more.slice(0, Math.max(0, lap.count - index * times))]);
        rmSync(own, { recursive: true });
      }
      return lap;
    },
    async check() {},
  };
};

/** Appends to one session, round after round. */
const appendToOld: Prepare = async ({ items, directory, times, ...work }, kind) => {
  const session = await kind.open(directory, kind.layout === undefined ? turns(items / 2) : []);
  // The first use of an instance is measured separately.
  await session.newest(1);
  const append = appender(work, kind, directory, session);
  const more = turns(times);
  const appended: Turn[] = [];
  return {
    async round() {
      const lap = await measure(kind)(times, (index) => append(more[index] as Turn));
      appended.push(...more.slice(0, lap.count));
      return lap;
    },
    check: () => expectTurns(session, [...turns(items / 2), ...appended]),
  };
};

function appender(
  { fresh = false }: Pick<Work, 'fresh'>,
  kind: SessionKind,
  directory: string,
  session: OpenSession,
): OpenSession['append'] {
  return fresh ? async (turn) => (await kind.open(directory)).append(turn) : (turn) => session.append(turn);
}

/** Reads the newest items. */
const read: Prepare = async ({ directory, times, items, fresh }, kind) => {
  const expected = turns(NEWEST / 2, (items - NEWEST) / 2).flatMap((turn) => turn.items.map(textOf));
  const session = await kind.open(directory);
  const once = async () => expectTexts(await (fresh ? await kind.open(directory) : session).newest(NEWEST), expected);
  return { round: () => byClock(times, once), async check() {} };
};

const WORK: Readonly<Record<Work['does'], Prepare>> = { appendToNew, appendToOld, read };

/** Prepares the work. */
export function prepare(work: Work): Promise<Worker> {
  return WORK[work.does](work, kindNamed(work.kind));
}

function measure({ layout }: SessionKind): typeof byClock {
  return layout === undefined ? byProcessorTime : byClock;
}

async function expectTurns(session: OpenSession, expected: readonly Turn[]): Promise<void> {
  expectTexts(
    await session.newest(Infinity),
    expected.flatMap(({ items }) => items.map(textOf)),
  );
}

function expectTexts(texts: readonly string[], expected: readonly string[]): void {
  const same = texts.length === expected.length && expected.every((text, index) => text === texts[index]);
  if (!same) throw new Error('The session does not contain the appended items.');
}
