import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type ServerCommand, type ServerProcess, startProcess } from './server-process.ts';

/** A server that we started on a port of 127.0.0.1, with a folder that is removed with it. */
export interface OwnServer {
  readonly port: number;
  /** Kills the server with SIGKILL. Its data stays. */
  kill(): Promise<void>;
  /** Restarts the server with the same port and folder, after a kill or a clean shutdown. */
  restart(): Promise<void>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

// Below the ephemeral ports (from 32768, on some systems from 49152), so that a reconnecting client can't occupy the
// port of a restarting server. A node of a Redis cluster also uses the port 10,000 higher.
const FIRST_PORT = 10_000;
const PORTS = 10_000;
const TRIES = 20;

/** Which port a server tries next. */
export const ports = { next: () => randomInt(FIRST_PORT, FIRST_PORT + PORTS) };

/** Starts a server on a random free port. Removes `folder` if that fails. */
export async function startOnFreePort(folder: string, commandOn: (port: number) => ServerCommand): Promise<OwnServer> {
  for (let tries = 1; ; tries++) {
    const port = ports.next();
    const command = commandOn(port);
    try {
      return ownServer(port, command, await startProcess(command));
    } catch (error) {
      if (tries < TRIES && String(error).includes('Address already in use')) continue;
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

function ownServer(port: number, command: ServerCommand, started: ServerProcess): OwnServer {
  let running = started;
  return {
    port,
    kill: () => running.end('SIGKILL'),
    async restart() {
      await running.end(command.endWell);
      running = await startProcess(command);
    },
    async stop() {
      await running.end(command.endNow);
      await rm(command.folder, { recursive: true, force: true });
    },
  };
}
