import { createInterface } from 'node:readline';
import { startProgram } from '@keepsake/testing';
import type { Change } from './write-on.ts';

/** A process that changes a backend until it is told to end. */
export class WritingProcess {
  readonly changes: Change[] = [];
  /** Resolves when all its lines are read. */
  readonly ended: Promise<void>;
  readonly #child: ReturnType<typeof startProgram>;
  #waiting: (() => void)[] = [];

  /** @param program - A program that calls `writeOn`. */
  constructor(program: string, argument: string) {
    this.#child = startProgram(program, [argument]);
    const lines = createInterface(this.#child.stdout);
    lines.on('line', (line) => {
      if (line !== 'ready') this.changes.push(JSON.parse(line) as Change);
      this.#wake();
    });
    this.ended = new Promise((resolve, reject) => {
      lines.on('close', resolve);
      this.#child.on('exit', (code) => {
        if (code !== 0) reject(new Error(`${program} ended with ${code}.`));
        this.#wake();
      });
    });
    this.ended.catch(() => {});
  }

  /** The first acknowledged change that ended after a time. */
  acknowledgedAfter(at: number): Change | undefined {
    return this.changes.find((change) => change.code === undefined && change.at > at);
  }

  /** Resolves once `condition` holds. Rejects if the process ends before. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), this.ended.then(ended)]);
    }
  }

  end(): void {
    this.#child.stdin.end();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function ended(): never {
  throw new Error('The process ended too early.');
}
