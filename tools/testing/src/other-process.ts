import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { startProgram } from './start-program.ts';

/**
 * Runs a TypeScript file against the sources of the workspace, in a separate process. The program prints `ready`, waits for
 * a line of input, and then prints its results, one per line.
 */
export class OtherProcess {
  readonly lines: string[] = [];
  /** Resolves when it has ended and all its lines are read. */
  readonly end: Promise<void>;
  readonly #child: ReturnType<typeof startProgram>;
  #hasEnded = false;
  #ready = Promise.withResolvers<void>();

  constructor(program: string, argument: string) {
    this.#child = startProgram(program, [argument]);
    const output = createInterface(this.#child.stdout);
    output.on('line', (line) => {
      if (line === 'ready') this.#ready.resolve();
      else this.lines.push(line);
    });
    this.end = new Promise((resolve, reject) => {
      output.on('close', () => {
        this.#hasEnded = true;
        resolve();
      });
      this.#child.on('exit', (code, signal) => {
        if (code === 0 || signal === 'SIGKILL') return;
        const failure = new Error(`${basename(program)} ended with ${code}.`);
        this.#ready.reject(failure);
        reject(failure);
      });
    });
  }

  /** Resolves when it waits for {@link go}. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when it has printed this many lines. Rejects if it has ended before. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#hasEnded) throw new Error(`A program ended after ${this.lines.length} lines, not ${count}.`);
      await setTimeout(1);
    }
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  go(): void {
    this.#child.stdin.end('go\n');
  }
}

/** Runs a program once per argument, all started together, to their end. Returns the lines of each. */
export async function inOtherProcesses(program: string, jobs: readonly string[]): Promise<string[][]> {
  const others = jobs.map((job) => new OtherProcess(program, job));
  await Promise.all(others.map((other) => other.ready));
  for (const other of others) other.go();
  await Promise.all(others.map((other) => other.end));
  return others.map(({ lines }) => lines);
}
