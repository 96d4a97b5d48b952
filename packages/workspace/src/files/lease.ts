import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { hasEnded, THIS_PROCESS } from '@keepsake/internal/node';
import type { Control, Holder } from './control-file.ts';
import { busy, type Journal, MAX_TRIES } from './journal.ts';

/** The exclusive right to distil. */
export interface Lease {
  readonly fence: number;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
/** A holder without a heartbeat for this long, by the waiter's clock, is presumed dead. */
const STALE_MS = 15_000;
const PATIENCE_MS = 10 * 60_000;

/** Runs tasks one after the other. */
export type Serially = <T>(task: () => Promise<T>) => Promise<T>;

/** Waits until the lease is free, at most 10 minutes while its holder is alive; then throws `TIMEOUT`. */
export async function takeLease(journal: Journal, serially: Serially, signal?: AbortSignal): Promise<Lease> {
  const begun = performance.now();
  const own: Holder = { ...THIS_PROCESS, id: randomUUID() };
  let seen = { state: '', at: begun };
  for (;;) {
    if (signal?.aborted) throw new MemoryError('ABORTED', 'Aborted while waiting for the lease.');
    const { control, version } = await journal.settle();
    const now = performance.now();
    const state = `${control.fence} ${control.beat}`;
    if (seen.state !== state) seen = { state, at: now };
    const { holder } = control;
    if (holder === null || hasEnded(holder) || now - seen.at > STALE_MS) {
      const taken = { ...control, fence: control.fence + 1, holder: own, beat: 0 };
      if (await journal.control.replace(taken, version)) return hold(journal, serially, taken.fence, own.id);
    } else if (now - begun > PATIENCE_MS) {
      throw new MemoryError(
        'TIMEOUT',
        'Another process has been distilling this memory for over 10 minutes. Try again later.',
      );
    } else {
      await sleep(50 + 100 * Math.random());
    }
  }
}

function hold(journal: Journal, serially: Serially, fence: number, id: string): Lease {
  const controller = new AbortController();
  const change = (next: (control: Control) => Control) =>
    serially(async () => {
      for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
        const { control, version } = await journal.settle();
        if (control.fence !== fence || control.holder?.id !== id) throw lost();
        if (await journal.control.replace(next(control), version)) return;
      }
      throw busy();
    });
  const heart = setInterval(() => {
    change((control) => ({ ...control, beat: control.beat + 1 })).catch((error) => {
      if (isMemoryError(error, 'CONFLICT')) controller.abort(error);
    });
  }, HEARTBEAT_MS);
  heart.unref();
  return {
    fence,
    signal: controller.signal,
    async release() {
      clearInterval(heart);
      // A lease that can't be released is taken over after a while.
      await change((control) => ({ ...control, holder: null })).catch(() => {});
    },
  };
}

/** The error of a process whose lease was taken over. */
export function lost(): MemoryError {
  return new MemoryError('CONFLICT', 'Another process took over this memory, because this one had no heartbeat.');
}
