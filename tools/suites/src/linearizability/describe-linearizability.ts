import { type Client, checkRecordHistories, checkSessionHistories } from '@keepsake/conformance';
import type { StoreCapabilities } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import { describe, it } from 'vitest';
import { CallingProcess } from './calling-process.ts';

const PROCESSES = 4;
const HISTORIES = rounds(500);
/** In every tenth history, a process is killed. */
const KILL_EVERY = 10;

/** A program that performs the calls of other processes, see `answerCalls`. */
export interface CallingProgram {
  readonly path: string;
  /** Returns its argument for one test. */
  readonly argument: (kind: CalledKind) => string;
  readonly capabilities: () => StoreCapabilities;
}

export type CalledKind = 'session' | 'store';

/** Concurrent histories of several processes, some of which are killed: each has an order that explains all results. */
export function describeLinearizability(where: string, { path, argument, capabilities }: CallingProgram): void {
  describe(`${HISTORIES} histories of ${PROCESSES} processes, one of them killed in every tenth, ${where}`, () => {
    it('sessions are linearizable', async (context) => {
      const kinds = { clear: true, durable: true };
      const kills = await inProcesses(path, argument('session'), (client) =>
        checkSessionHistories({ count: HISTORIES, seed: SEED, client }, kinds),
      );
      show(context, 4, figure('sessions', where, kills));
    });

    it('stores are linearizable', async (context) => {
      const kills = await inProcesses(path, argument('store'), (client) =>
        checkRecordHistories({ count: HISTORIES, seed: SEED, client }, capabilities()),
      );
      show(context, 5, figure('stores', where, kills));
    });
  });
}

function figure(what: string, where: string, kills: number): string {
  return `${what} ${where}: ${count(HISTORIES)} concurrent histories of ${PROCESSES} processes, ${kills} kills: all linearizable`;
}

/** Returns how often a process was killed. */
async function inProcesses<Call>(
  program: string,
  argument: string,
  check: (client: (history: number, index: number) => Client<Call>) => Promise<void>,
): Promise<number> {
  const processes = Array.from({ length: PROCESSES }, () => new CallingProcess(program, argument));
  await Promise.all(processes.map((one) => one.ready()));
  let kills = 0;
  await check((history, index) => {
    const one = processes[index] as CallingProcess;
    // The last of the calls before the kill is at a random moment of its work.
    let callsLeft = history % KILL_EVERY === KILL_EVERY - 1 && index === 0 ? 3 : undefined;
    return {
      perform(call) {
        const outcome = one.perform(`history ${history}`, call);
        if (callsLeft !== undefined && callsLeft-- === 0) {
          kills++;
          setTimeout(() => one.kill(), Math.random() * 3);
        }
        return outcome;
      },
    };
  });
  await Promise.all(processes.map((one) => one.end()));
  return kills;
}
