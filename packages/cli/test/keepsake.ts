import { spawn as spawnProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { run } from '../src/run.ts';

const PROGRAM = join(import.meta.dirname, '../src/keepsake.ts');
const NODE_ARGS = ['--conditions=@keepsake/source'];
const PIPE_BYTES = 64 * 1024;

/** The exit code and output of the program. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal?: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd: string;
  /** The standard input. Empty by default. */
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

export interface HereOptions extends Options {
  /** The columns of the terminal that the output goes to. Without, it goes to pipes. */
  readonly columns?: number;
}

export interface ProcessOptions extends Options {
  readonly nodeArgs?: readonly string[];
}

/** Runs the program in this process, with the directory, environment and streams of its own that a process with pipes has. */
export async function keepsake(
  args: readonly string[],
  { cwd, input = '', env = {}, columns }: HereOptions,
): Promise<Ended> {
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const [stdout, stderr] = [0, 1].map(() => Object.assign(new PassThrough(), terminal)) as [PassThrough, PassThrough];
  const surroundings = Object.assign(new EventEmitter(), {
    cwd: () => cwd,
    env: environment(env),
    stdin: Readable.from(chunksOf(Buffer.from(input)), { objectMode: false }),
    ...{ stdout, stderr },
    exit(): never {
      throw new Error('Only a second Ctrl-C ends the program at once.');
    },
  });
  const ended = run(args, surroundings).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [exitCode, ...printed] = await Promise.all([ended, text(stdout), text(stderr)]);
  return { exitCode, stdout: printed[0], stderr: printed[1] };
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIPE_BYTES) yield bytes.subarray(at, at + PIPE_BYTES);
}

/** Runs the program as a process with pipes. */
export class Running {
  readonly end: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #process;

  constructor(args: readonly string[], { cwd, env = {}, nodeArgs = [] }: ProcessOptions) {
    this.#process = spawnProcess(process.execPath, [...NODE_ARGS, ...nodeArgs, PROGRAM, ...args], {
      cwd,
      env: environment(env),
    });
    this.#process.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.#process.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    // The program may exit before it has read everything.
    this.#process.stdin.on('error', () => {});
    this.end = new Promise((resolve, reject) => {
      this.#process.on('error', reject);
      this.#process.on('close', (exitCode, signal) => {
        resolve({ exitCode, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  get input() {
    return this.#process.stdin;
  }

  interrupt(): void {
    this.#process.kill('SIGINT');
  }
}

/** Runs the program as a process with pipes until it exits. */
export function keepsakeProcess(args: readonly string[], options: ProcessOptions): Promise<Ended> {
  const running = new Running(args, options);
  running.input.end(options.input ?? '');
  return running.end;
}

/** Runs the program, or a shell script that calls `keepsake`, in a terminal. */
export class Terminal {
  /** All output, with its escape sequences. */
  text = '';
  readonly end: Promise<number>;
  readonly #terminal;
  readonly #listeners = new Set<() => void>();

  constructor(call: readonly string[] | { readonly script: string }, { cwd, env = {} }: Options, columns: number) {
    const node = [process.execPath, ...NODE_ARGS, PROGRAM];
    const quoted = node.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const [file = '', ...args] =
      'script' in call ? ['sh', '-c', `keepsake() { ${quoted} "$@"; }\n${call.script}`] : [...node, ...call];
    this.#terminal = spawnTerminal(file, args, {
      cwd,
      cols: columns,
      rows: 40,
      env: environment({ TERM: 'xterm-256color', ...env }),
    });
    this.#terminal.onData((text) => {
      this.text += text;
      for (const listener of this.#listeners) listener();
    });
    this.end = new Promise((resolve) => {
      this.#terminal.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
    });
  }

  /** What is left to see: no escape sequences, and none of the progress that was drawn over. */
  get visibleText(): string {
    return visibleIn(this.text);
  }

  /** Resolves once the terminal shows a text; rejects if the program exits without it. */
  async shows(pattern: RegExp): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = () => pattern.test(this.text) && resolve();
      this.#listeners.add(look);
      look();
    });
    const ended = this.end.then(() => {
      if (!pattern.test(this.text))
        throw new Error(`The program ended without showing ${pattern}. Its output:\n${this.text}`);
    });
    await Promise.race([seen, ended]);
  }

  type(keys: string): void {
    this.#terminal.write(keys);
  }
}

/** What a terminal shows of a text that was written to it. */
export function visibleIn(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replace(/^[^\n]*\r/gm, '');
}

/** The environment of a user's shell, without variables of the test runner. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const { FORCE_COLOR: _, NODE_OPTIONS: __, KEEPSAKE_DIRECTORY: ___, CI: ____, ...own } = process.env;
  return { ...(own as Record<string, string>), TZ: 'UTC', ...env };
}
