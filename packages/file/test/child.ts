import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { commandOf } from '@keepsake/testing/program-command';
import type { Interruption } from './children/interrupted.ts';
import type { Job } from './children/job.ts';

/* Many children run at a time, and each listens for the exit of this process. */
process.setMaxListeners(0);

/** A process that does a job and reports its progress as lines of output. */
export class Child {
  readonly lines: string[] = [];
  /** Resolves when it has ended and all its lines have arrived. */
  readonly end: Promise<void>;
  readonly #process: ChildProcess;
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(program: 'worker' | 'interrupted', job: Job & { readonly interruption?: Interruption }) {
    const script = join(import.meta.dirname, 'children', `${program}.ts`);
    this.#process = spawn(process.execPath, [...commandOf(script), JSON.stringify(job)], {
      stdio: ['pipe', 'pipe', process.env.DEBUG_CHILDREN ? 'inherit' : 'ignore'],
    });
    // A stopped child would outlive a test that timed out.
    const kill = () => this.#process.kill('SIGKILL');
    process.once('exit', kill);
    let text = '';
    this.#process.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      this.lines.push(...lines);
      this.#wake();
    });
    this.#process.stdin?.on('error', () => {});
    this.end = new Promise((resolve) => {
      this.#process.on('close', () => {
        this.#ended = true;
        process.off('exit', kill);
        this.#wake();
        resolve();
      });
    });
  }

  /** Resolves to the first line that begins with `word`. Rejects if the process ends without one. */
  async line(word: string): Promise<string> {
    const isWanted = (line: string) => line.split(' ')[0] === word;
    await this.#until(() => this.lines.some(isWanted), `reporting ${word}`);
    return this.lines.find(isWanted) as string;
  }

  /** Resolves when it has acknowledged `changes` changes. Rejects if it ends before. */
  acknowledges(changes: number): Promise<void> {
    return this.#until(() => this.acknowledged.length >= changes, `acknowledging ${changes} changes`);
  }

  async #until(reached: () => boolean, what: string): Promise<void> {
    while (!reached()) {
      if (this.#ended)
        throw new Error(`A child ended without ${what}. Its last lines: ${this.lines.slice(-3).join(', ')}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  go(): void {
    this.#process.stdin?.end('go\n');
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** The acknowledged changes: the rest of each line after `ok`. */
  get acknowledged(): string[] {
    return this.lines.filter((line) => line.startsWith('ok')).map((line) => line.slice(3));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Runs each job in a separate process, all at once. Returns the processes after all have succeeded. */
export async function runTogether(jobs: readonly Job[]): Promise<Child[]> {
  const children = jobs.map((job) => new Child('worker', job));
  try {
    await Promise.all(children.map((child) => child.line('ready')));
    for (const child of children) child.go();
    await Promise.all(children.map((child) => child.line('done')));
    await Promise.all(children.map((child) => child.end));
    return children;
  } finally {
    // If one has failed, the others may never end.
    for (const child of children) child.kill('SIGKILL');
  }
}
