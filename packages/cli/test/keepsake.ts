import { spawn as spawnProcess } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnTerminal } from '@lydell/node-pty';

const PROGRAM = join(import.meta.dirname, '../src/keepsake.ts');
const NODE_ARGS = ['--conditions=@keepsake/source'];

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
  readonly nodeArgs?: readonly string[];
}

/** Runs the program as a process with pipes. */
export class Running {
  readonly end: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #process;

  constructor(args: readonly string[], { cwd, env = {}, nodeArgs = [] }: Options) {
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

/** Runs the program with pipes until it exits. */
export function keepsake(args: readonly string[], options: Options): Promise<Ended> {
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
    return stripVTControlCharacters(this.text)
      .replaceAll('\r\n', '\n')
      .replace(/^[^\n]*\r/gm, '');
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

/** The environment of a user's shell, without variables of the test runner. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const { FORCE_COLOR: _, NODE_OPTIONS: __, KEEPSAKE_DIRECTORY: ___, CI: ____, ...own } = process.env;
  return { ...(own as Record<string, string>), TZ: 'UTC', ...env };
}
