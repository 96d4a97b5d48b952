import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startProgram } from '@keepsake/testing';
import type { AskedCall } from './answer-calls.ts';

interface Running {
  readonly child: ReturnType<typeof startProgram>;
  readonly ready: Promise<unknown>;
  /** The calls without an outcome so far. */
  readonly asked: Map<number, (outcome: string | undefined) => void>;
}

/** A process that performs calls, and is started again after it was killed. */
export class CallingProcess {
  readonly #program: string;
  readonly #argument: string;
  #running: Running;
  #calls = 0;

  /** @param program - A program that calls `answerCalls`. */
  constructor(program: string, argument: string) {
    this.#program = program;
    this.#argument = argument;
    this.#running = this.#start();
  }

  /** Resolves to the outcome of a call, or to `undefined` if the process was killed before it answered. */
  async perform(place: string, call: unknown): Promise<string | undefined> {
    const { child, ready, asked } = this.#running;
    const number = this.#calls++;
    const outcome = new Promise<string | undefined>((resolve) => asked.set(number, resolve));
    await ready;
    child.stdin.write(`${JSON.stringify({ number, place, call } satisfies AskedCall)}\n`);
    return outcome;
  }

  kill(): void {
    const { child } = this.#running;
    this.#running = this.#start();
    child.kill('SIGKILL');
  }

  /** Resolves when it can perform calls. */
  async ready(): Promise<void> {
    await this.#running.ready;
  }

  async end(): Promise<void> {
    const { child } = this.#running;
    const ended = once(child, 'close');
    child.stdin.end();
    await ended;
  }

  #start(): Running {
    const child = startProgram(this.#program, [this.#argument]);
    // The pipe of a process that was killed is broken.
    child.stdin.on('error', () => {});
    const asked: Running['asked'] = new Map();
    const lines = createInterface(child.stdout);
    const ready = once(lines, 'line');
    lines.on('line', (line) => {
      if (line === 'ready') return;
      const { number, outcome } = JSON.parse(line) as { readonly number: number; readonly outcome?: string };
      asked.get(number)?.(outcome);
      asked.delete(number);
    });
    child.on('close', () => {
      for (const resolve of asked.values()) resolve(undefined);
    });
    return { child, ready, asked };
  }
}
