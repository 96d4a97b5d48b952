import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordStore, Session } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { rounds } from '@keepsake/testing/share';
import { count, seconds, show } from '@keepsake/testing/torture/figures';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Change } from './write-on.ts';
import { WritingProcess } from './writing-process.ts';

const PROCESSES = 4;
const CHANGES = 20;
const FEW = 3;

/** Something that happens to a server while clients use it. */
export interface Fault {
  /** @param more - Resolves when each writer has made a few more changes. */
  inflict(more: () => Promise<unknown>): unknown;
  /** Makes the server usable again. */
  repair(): unknown;
  /** How long it lasts, in milliseconds. @default 0 */
  readonly lastsMs?: number;
  /** What errors say because of it. It lasts until each writer has had such an error. */
  readonly refusal?: RegExp;
  /** Whether it loses acknowledged changes, which are then counted. The test fails if none are lost. */
  readonly losesAcknowledged?: boolean;
}

/** A running server, and who checks it. */
export interface FaultyServer<Title extends string> {
  /** What happens to it. */
  readonly faults: Readonly<Record<Title, Fault>>;
  /** The argument of the program for a writer. */
  argument(place: string, writer: string): string;
  /** What the writers of a place write to, over a connection that no fault touches. */
  open(place: string): { readonly session: Session; readonly store: RecordStore };
  stop(): Promise<void>;
}

/**
 * Four processes write while something happens to the server. Afterwards, each acknowledged change must be there once and
 * in order, unless the fault loses some, and each that failed must have an honest code: only after `OUTCOME_UNKNOWN` may it have been made.
 *
 * @param program - A program that calls `writeOn`.
 * @param titles - Of the faults, because tests are collected before the server starts.
 */
export function describeFaults<Title extends string>(
  where: string,
  program: string,
  titles: readonly Title[],
  start: () => Promise<FaultyServer<Title>>,
): void {
  describe(`four processes write ${where}`, () => {
    let server: FaultyServer<Title>;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());

    for (const title of titles) {
      it(`while ${title}: all acknowledged changes are accounted for, and errors are honest`, async (context) => {
        const runs = rounds(10);
        const all: Change[] = [];
        let slowestMs = 0;
        let lost = 0;
        const loses = server.faults[title].losesAcknowledged ?? false;
        for (let run = 0; run < runs; run++) {
          const place = `${title} ${run}`;
          const start = (writer: string) => new WritingProcess(program, server.argument(place, writer));
          const { writers, recoveryMs } = await writeDuring(server.faults[title], start);
          lost += await countLost(server.open(place), writers, loses);
          all.push(...[...writers.values()].flatMap(({ changes }) => changes));
          slowestMs = Math.max(slowestMs, recoveryMs);
        }
        if (loses) expect(lost).toBeGreaterThan(0);
        const with_ = (code: string | undefined) => count(all.filter((change) => change.code === code).length);
        const failed = all.filter(({ code }) => code !== undefined).length;
        show(
          context,
          10,
          `${where}, ${title} ${runs} times under ${PROCESSES} processes: ${with_(undefined)} changes acknowledged, ${count(lost)} lost; ${count(failed)} failed, ${with_('OUTCOME_UNKNOWN')} of them with an unknown outcome; writing again after at most ${seconds(slowestMs)}`,
        );
      });
    }
  });
}

/** Runs the writers before, during and after a fault. Returns them by name, and how long the slowest needed afterwards. */
async function writeDuring(fault: Fault, start: (writer: string) => WritingProcess) {
  const names = Array.from({ length: PROCESSES }, (_, n) => `writer ${n}`);
  const writers = new Map(names.map((name) => [name, start(name)]));
  const all = [...writers.values()];
  /** Resolves when each writer has made `count` more changes. */
  const more = (count: number) => {
    const before = all.map((writer) => writer.changes.length);
    return Promise.all(all.map((writer, n) => writer.until(() => writer.changes.length >= (before[n] ?? 0) + count)));
  };
  await more(CHANGES);
  await fault.inflict(() => more(FEW));
  const { refusal, lastsMs = 0 } = fault;
  if (refusal !== undefined) {
    const isRefused = ({ message = '' }: Change) => refusal.test(message);
    await Promise.all(all.map((writer) => writer.until(() => writer.changes.some(isRefused))));
  }
  await sleep(lastsMs);
  await fault.repair();
  const repaired = Date.now();
  await Promise.all(all.map((writer) => writer.until(() => writer.acknowledgedAfter(repaired) !== undefined)));
  await more(CHANGES);
  for (const writer of all) writer.end();
  await Promise.all(all.map((writer) => writer.ended));
  const recoveries = all.map((writer) => (writer.acknowledgedAfter(repaired)?.at ?? repaired) - repaired);
  return { writers, recoveryMs: Math.max(...recoveries) };
}

/** Returns how many acknowledged changes are gone, which fails unless the fault `loses` some. */
async function countLost(
  { session, store }: ReturnType<FaultyServer<string>['open']>,
  writers: ReadonlyMap<string, WritingProcess>,
  loses: boolean,
): Promise<number> {
  let lost = 0;
  const items = await session.getItems();
  const records = new Set<string>();
  for await (const { id } of allItems((page) => store.list(page))) records.add(id);
  for (const [name, { changes }] of writers) {
    const appended = items.filter(({ writer }) => writer === name).map(({ number }) => number as number);
    const stored = new Set(appended);
    expect(appended).toHaveLength(stored.size);
    // A change with an unknown outcome can take effect later, between others.
    const unknown = new Set(changes.filter(({ code }) => code === 'OUTCOME_UNKNOWN').map(({ number }) => number));
    const inOrder = appended.filter((number) => !unknown.has(number));
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    const isThere = ({ kind, number }: Change) =>
      kind === 'append' ? stored.has(number) : records.has(`${name} ${number}`);
    const there = changes.filter(isThere).length;
    const known = changes.filter(({ code }) => code !== 'OUTCOME_UNKNOWN');
    const wrong = known.filter((change) => isThere(change) !== (change.code === undefined));
    const gone = wrong.filter(({ code }) => loses && code === undefined);
    expect(wrong).toEqual(gone);
    lost += gone.length;
    // Nothing else is there.
    const inBackend = stored.size + [...records].filter((id) => id.startsWith(`${name} `)).length;
    expect(inBackend).toBe(there);
  }
  return lost;
}
