import { spawn as spawnProcess } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { format } from 'node:util';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { vi } from 'vitest';
import { type ChatOptions, chat } from '../src/chat/chat.ts';
import { modelAddress } from '../src/chat/openai.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
export const COMMAND = [process.execPath, '--conditions=@keepsake/source', MAIN] as const;

type Environment = Readonly<Record<string, string>>;

/** The exit and the output of the demo. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running demo, on pipes or in a terminal. */
abstract class Running {
  text = '';
  abstract readonly end: Promise<unknown>;
  readonly #listeners = new Set<() => void>();

  protected hear(text: string): void {
    this.text += text;
    this.look();
  }

  protected look(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves once the output contains a text; rejects if the demo ends without it. */
  async shows(pattern: RegExp, read = () => this.text): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = () => pattern.test(read()) && resolve();
      this.#listeners.add(look);
      look();
    });
    const ended = this.end.then(() => {
      if (!pattern.test(read())) throw new Error(`It ended without showing ${pattern}, but:\n${read()}`);
    });
    await Promise.race([seen, ended]);
  }
}

/** The demo with pipes. */
export class Piped extends Running {
  readonly end: Promise<Ended>;
  readonly #process;
  #stderr = '';

  /** @param shell - A command that runs the command in its last arguments, which is the demo. */
  constructor(cwd: string, args: readonly string[], env: Environment = {}, shell: readonly string[] = []) {
    super();
    const [command = '', ...rest] = [...shell, ...COMMAND, ...args];
    this.#process = spawnProcess(command, rest, { cwd, env: environment(env) });
    this.#process.stdout.setEncoding('utf8').on('data', (text) => this.hear(text));
    this.#process.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
      this.look();
    });
    // It may end before it has read all input.
    this.#process.stdin.on('error', () => {});
    this.end = new Promise((resolve, reject) => {
      this.#process.on('error', reject);
      this.#process.on('close', (status, signal) =>
        resolve({ status, signal, stdout: this.text, stderr: this.#stderr }),
      );
    });
  }

  get input() {
    return this.#process.stdin;
  }

  /** Like {@link Running.shows}, for stderr. */
  complains(pattern: RegExp): Promise<void> {
    return this.shows(pattern, () => this.#stderr);
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}

/** The demo in a terminal. */
export class Terminal extends Running {
  readonly end: Promise<number>;
  readonly #terminal;

  constructor(cwd: string, args: readonly string[], env: Environment = {}) {
    super();
    const [node, ...rest] = COMMAND;
    this.#terminal = spawnTerminal(node, [...rest, ...args], {
      cwd,
      cols: 120,
      env: environment({ TERM: 'xterm-256color', NO_COLOR: '1', ...env }),
    });
    this.#terminal.onData((text) => this.hear(text));
    this.end = new Promise((resolve) => {
      this.#terminal.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
    });
  }

  type(keys: string): void {
    this.#terminal.write(keys);
  }
}

/** Runs the demo to its end with piped lines. */
export function demo(
  cwd: string,
  lines: readonly string[],
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Environment } = {},
): Promise<Ended> {
  const running = new Piped(cwd, args, env);
  running.input.end(lines.join('\n'));
  return running.end;
}

type Told = Omit<ChatOptions, 'directory'> & { readonly env?: Environment };

/**
 * Chats with piped lines in this process, in the directory that `demo` uses: for what a process of its own does not change.
 *
 * @throws Error if the chat can't begin.
 */
export async function chatHere(
  cwd: string,
  lines: readonly string[],
  { env = {}, ...options }: Told = {},
): Promise<Pick<Ended, 'status' | 'stdout' | 'stderr'>> {
  const printed = { stdout: '', stderr: '' };
  const print =
    (to: keyof typeof printed) =>
    (...args: unknown[]) => {
      printed[to] += `${format(...args)}\n`;
    };
  const spies = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([lines.join('\n')]) as typeof process.stdin),
    vi.spyOn(console, 'log').mockImplementation(print('stdout')),
    vi.spyOn(console, 'error').mockImplementation(print('stderr')),
  ];
  const restoreListeners = keepListeners();
  const { exitCode } = process;
  try {
    await chat({ directory: join(cwd, '.keepsake'), model: modelAddress({}, env), ...options });
    return { status: Number(process.exitCode ?? 0), ...printed };
  } finally {
    process.exitCode = exitCode;
    restoreListeners();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Returns a function that removes the listeners which are added until then. */
function keepListeners(): () => void {
  const watched = [
    ...['SIGINT', 'SIGTERM', 'uncaughtException'].map((event) => ({ emitter: process as NodeJS.EventEmitter, event })),
    { emitter: process.stdout as NodeJS.EventEmitter, event: 'error' },
  ].map((one) => ({ ...one, known: one.emitter.listeners(one.event) }));
  return () => {
    for (const { emitter, event, known } of watched) {
      for (const listener of emitter.listeners(event)) {
        if (!known.includes(listener)) emitter.removeListener(event, listener as () => void);
      }
    }
  };
}

/** The environment of a shell, without variables that change what the demo does. */
export function environment(env: Environment = {}): Record<string, string> {
  const { INIT_CWD, NODE_OPTIONS, CI, OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, ...own } = process.env;
  return { ...(own as Record<string, string>), TZ: 'UTC', ...env };
}
