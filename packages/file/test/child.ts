import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Interruption } from './children/interrupted.ts';
import type { Job } from './children/job.ts';

/* Children are many at a time, and each listens for the end of this process. */
process.setMaxListeners(0);

/** A process that does a job, and says so on lines of its output. */
export class Child {
  readonly lines: string[] = [];
  /** Resolves when it has ended and all its lines are here. */
  readonly end: Promise<void>;
  readonly #process: ChildProcess;
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(program: 'worker' | 'interrupted', job: Job & { readonly interruption?: Interruption }) {
    const script = join(import.meta.dirname, 'children', `${program}.ts`);
    this.#process = spawn(process.execPath, ['--conditions=@keepsake/source', script, JSON.stringify(job)], {
      stdio: ['pipe', 'pipe', process.env.DEBUG_CHILDREN ? 'inherit' : 'ignore'],
    });
    // One that stands still would outlive a test that ran out of time.
    const kill = () => this.#process.kill('SIGKILL');
    process.once('exit', kill);
    let text = '';
    this.#process.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      this.lines.push(...lines);
      this.#heard();
    });
    this.#process.stdin?.on('error', () => {});
    this.end = new Promise((resolve) => {
      this.#process.on('close', () => {
        this.#ended = true;
        process.off('exit', kill);
        this.#heard();
        resolve();
      });
    });
  }

  /** Resolves to the first line that begins with a word; rejects when the process ends without one. */
  async line(word: string): Promise<string> {
    for (let seen = 0; ; ) {
      for (; seen < this.lines.length; seen++) {
        const line = this.lines[seen] as string;
        if (line.split(' ')[0] === word) return line;
      }
      if (this.#ended) throw new Error(`A child ended without saying ${word}, but: ${this.lines.slice(-3).join(', ')}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  go(): void {
    this.#process.stdin?.end('go\n');
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** What follows `ok` on its lines: what was acknowledged. */
  get acknowledged(): string[] {
    return this.lines.filter((line) => line.startsWith('ok')).map((line) => line.slice(3));
  }

  #heard(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Has jobs done by a process each, all at once, and gives the processes when all have ended well. */
export async function together(jobs: readonly Job[]): Promise<Child[]> {
  const children = jobs.map((job) => new Child('worker', job));
  try {
    await Promise.all(children.map((child) => child.line('ready')));
    for (const child of children) child.go();
    await Promise.all(children.map((child) => child.line('done')));
    await Promise.all(children.map((child) => child.end));
    return children;
  } finally {
    // Where one has failed, the others may have no end.
    for (const child of children) child.kill('SIGKILL');
  }
}
