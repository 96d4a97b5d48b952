import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import type { User } from './unprivileged-user.ts';

/** How to start and stop a server. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The working directory, which is removed with the server if our process is killed. */
  readonly folder: string;
  /**
   * The user that it runs as.
   *
   * @default the current user
   */
  readonly user?: User | undefined;
  /** The log line that says that it accepts connections. */
  readonly ready: RegExp;
  /** The signal that stops it quickly and frees its resources outside the folder. Data may be lost. */
  readonly endNow: 'SIGKILL' | 'SIGQUIT';
  /** The signal of a clean shutdown, after which the data is on disk. */
  readonly endWell: 'SIGTERM' | 'SIGINT';
}

/** A server that runs as a child process. */
export interface ServerProcess {
  /** Sends a signal and waits until the server and its children have ended. Does nothing if they have ended already. */
  end(signal: NodeJS.Signals): Promise<void>;
}

const START_DEADLINE_MS = 30_000;
const KEPT_LINES = 20;

// The shell starts a watcher and then becomes the server, so that the server is our child and keeps its process id. The
// watcher reads from us: a line after the server has ended, or the end of the pipe if our process is gone for any
// reason.
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
 * Starts a server and waits until it accepts connections. It ends with our process, even if that is killed.
 *
 * @throws Error with the last lines of its log if it ends or is not ready in time.
 */
export async function startProcess(command: ServerCommand): Promise<ServerProcess> {
  const { program, args, folder, user, endNow } = command;
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', endNow.slice(3), folder, program, ...args], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    // Ctrl-C in a terminal must only reach the tests, which then stop the server.
    detached: true,
    ...user,
  });
  const ended = once(child, 'close'); // Also waits for the watcher, which has one of the pipes.
  const watcher = child.stdio[3] as Socket;
  child.on('exit', () => watcher.end('\n'));
  watcher.on('error', () => {}); // If the watcher was killed.
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

/** Waits for the ready line and keeps reading, because a server blocks if its log is not read. */
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

/** A server that is still running must not keep our process from exiting. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  for (const handle of [child, child.stdout as Socket | null, child.stdio[3] as Socket | null]) {
    if (alive) handle?.ref();
    else handle?.unref();
  }
}
