import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32, seedOf } from '@keepsake/testing/mulberry32';
import type { Opened } from '../backends.ts';
import { RecordUser } from './record-user.ts';
import { SessionUser } from './session-user.ts';
import { Choices, type User } from './user.ts';

const PAIRS = 4;

/** The latencies of a part of the run, in microseconds. */
export interface Latencies {
  readonly read: RecordableHistogram;
  readonly change: RecordableHistogram;
}

/** Users that work at a constant rate. */
export class Load {
  readonly #users: readonly User[];
  #latencies: Latencies = newLatencies();
  #operations = 0;
  #stopped = false;

  constructor(opened: Opened, seed: number) {
    this.#users = Array.from({ length: PAIRS }, (_, n) => [
      new RecordUser(opened, `${n}`, choicesOf(`records ${n}`, seed)),
      new SessionUser(opened, `${n}`, choicesOf(`sessions ${n}`, seed)),
    ]).flat();
  }

  /** How many operations were made. */
  get operations(): number {
    return this.#operations;
  }

  /** The latencies since the last call. */
  takeLatencies(): Latencies {
    const taken = this.#latencies;
    this.#latencies = newLatencies();
    return taken;
  }

  /** Works until `stop()`, and rejects with the first wrong answer or error. */
  async run(operationsPerSecond: number): Promise<void> {
    const everyMs = (1000 * this.#users.length) / operationsPerSecond;
    try {
      await Promise.all(this.#users.map((user) => this.#work(user, everyMs)));
    } finally {
      this.#stopped = true;
    }
  }

  /** Ends `run` after the operations in progress. */
  stop(): void {
    this.#stopped = true;
  }

  /** Compares everything that new instances read with what must be there. */
  async check(reopened: Opened): Promise<void> {
    for (const user of this.#users) user.reopen(reopened);
    await Promise.all(this.#users.map((user) => user.check()));
  }

  /** Deletes everything. */
  async remove(): Promise<void> {
    await Promise.all(this.#users.map((user) => user.remove()));
  }

  /** What a slow backend does not manage in time is not made up for. */
  async #work(user: User, everyMs: number): Promise<void> {
    while (!this.#stopped) {
      const start = performance.now();
      const kind = await user.act();
      const tookMs = performance.now() - start;
      this.#latencies[kind].record(Math.max(1, Math.round(tookMs * 1000)));
      this.#operations++;
      // At least one turn of the event loop, also if it is behind.
      await sleep(Math.max(0, everyMs - tookMs));
    }
  }
}

function newLatencies(): Latencies {
  return { read: createHistogram(), change: createHistogram() };
}

function choicesOf(name: string, seed: number): Choices {
  return new Choices(mulberry32(seedOf(name, seed)));
}
