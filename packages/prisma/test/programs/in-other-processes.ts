import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of this directory in a process of its own, which says what it does on lines of its output. */
export class OtherProcess {
  readonly lines: string[] = [];
  /** Resolves when it has ended and all its lines are here. */
  readonly end: Promise<void>;
  readonly #child: ChildProcess;
  #ready = Promise.withResolvers<void>();

  constructor(program: string, ...args: string[]) {
    const file = join(import.meta.dirname, program);
    this.#child = spawn(process.execPath, ['--conditions=@keepsake/source', file, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const output = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    output.on('line', (line) => {
      if (line === 'ready') this.#ready.resolve();
      else this.lines.push(line);
    });
    this.end = new Promise((resolve, reject) => {
      output.on('close', resolve);
      this.#child.on('exit', (code, signal) => {
        if (code === 0 || signal === 'SIGKILL') return;
        const failure = new Error(`${program} has ended with ${code}.`);
        this.#ready.reject(failure);
        reject(failure);
      });
    });
  }

  /** Resolves when it waits for {@link go}. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  go(): void {
    this.#child.stdin?.end('go\n');
  }
}

/** Runs programs, begun all at once, to their end; gives what each has said. */
export async function inOtherProcesses(program: string, jobs: readonly (readonly string[])[]): Promise<string[][]> {
  const others = jobs.map((args) => new OtherProcess(program, ...args));
  await Promise.all(others.map((other) => other.ready));
  for (const other of others) other.go();
  await Promise.all(others.map((other) => other.end));
  return others.map(({ lines }) => lines);
}
