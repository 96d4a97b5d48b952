import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import type { User } from './unprivileged-user.ts';

/** How a server is started, and how it is ended. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs, and what is removed with it when our own process is killed. */
  readonly folder: string;
  /** Whom it runs as; as ourselves when left out. */
  readonly user?: User | undefined;
  /** What it logs as soon as it takes connections. */
  readonly ready: RegExp;
  /** Ends it quickly, with all that it holds outside its folder; its data may be lost. */
  readonly endNow: 'SIGKILL' | 'SIGQUIT';
  /** Ends it in good order: what it was told to keep is on the disk. */
  readonly endWell: 'SIGTERM' | 'SIGINT';
}

/** A server that runs as a process of ours. */
export interface ServerProcess {
  /** Sends a signal, and waits until the server and its own children have ended. Does nothing when they have. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const START_DEADLINE_MS = 30_000;
const KEPT_LINES = 20;

// The shell leaves a watcher behind and becomes the server, so that the server is our child and keeps its process id.
// The watcher reads from us: a line once the server has ended, or the end when it is we who are gone, however that came.
const WATCHED = `
exec 2>&1
(
  read -r ended <&3 && exit
  kill -s "$1" $$
  sleep 1
  rm -rf -- "$2"
) >/dev/null 2>&1 &
shift 2
exec "$@" 3<&-
`;

/**
 * Starts a server, and waits until it takes connections. It ends with our process, even when that is killed.
 *
 * @throws Error with the last lines of its log, when it ends or is not ready in time.
 */
export async function startProcess(command: ServerCommand): Promise<ServerProcess> {
  const { program, args, folder, user, endNow } = command;
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', endNow.slice(3), folder, program, ...args], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    // Ctrl-C in a terminal is for the tests, which then end the server themselves.
    detached: true,
    ...user,
  });
  const ended = once(child, 'close'); // Of the watcher too, which holds one of the pipes.
  const watcher = child.stdio[3] as Socket;
  child.on('exit', () => watcher.end('\n'));
  watcher.on('error', () => {}); // When somebody killed the watcher.
  const server = {
    async end(signal: NodeJS.Signals) {
      keepAlive(child, true);
      child.kill(signal);
      await ended;
    },
  };
  try {
    await readiness(child, command, ended);
  } catch (error) {
    await server.end('SIGKILL').catch(() => {});
    throw error;
  }
  keepAlive(child, false);
  return server;
}

/** Waits for the line that says so, and reads on afterwards: a server whose log nobody reads would come to a halt. */
async function readiness(child: ChildProcess, { program, ready }: ServerCommand, ended: Promise<unknown>) {
  const name = basename(program);
  const lines: string[] = [];
  const log = () => (lines.length === 0 ? 'It logged nothing.' : `Its last lines:\n${lines.join('\n')}`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const [last = '', ...before] = `${rest}${text}`.split('\n').reverse();
    rest = last;
    lines.push(...before.reverse());
    lines.splice(0, lines.length - KEPT_LINES);
    if (ready.test(text) || lines.some((line) => ready.test(line))) resolve();
  });
  const deadline = setTimeout(
    () => reject(new Error(`${name} was not ready within ${START_DEADLINE_MS / 1000} s. ${log()}`)),
    START_DEADLINE_MS,
  );
  ended.then(
    () => reject(new Error(`${name} ended before it was ready (${child.signalCode ?? child.exitCode}). ${log()}`)),
    (cause) => reject(new Error(`${name} could not be started.`, { cause })),
  );
  await promise.finally(() => clearTimeout(deadline));
}

/** A server that was forgotten must not keep our process from ending. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  for (const handle of [child, child.stdout as Socket | null, child.stdio[3] as Socket | null]) {
    if (alive) handle?.ref();
    else handle?.unref();
  }
}
