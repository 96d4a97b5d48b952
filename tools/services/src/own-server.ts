import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type ServerCommand, type ServerProcess, startProcess } from './server-process.ts';

/** A server of ours on a port of 127.0.0.1, with a folder that is removed with it. */
export interface OwnServer {
  readonly port: number;
  /** Ends it with SIGKILL. What it has written stays. */
  kill(): Promise<void>;
  /** Starts it again on its port and in its folder, after a kill or, when it runs, after an end in good order. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

// Below the ports that systems give to outgoing connections (from 32768, on some from 49152): a client that tries to
// reconnect can't come to sit on the port of a server that is to restart there. A node of a Redis cluster also takes the
// port 10,000 higher.
const FIRST_PORT = 10_000;
const PORTS = 10_000;
const TRIES = 20;

/** Starts a server on the first port of some, chosen at random, that it can take. `folder` is removed if it can't. */
export async function startOnFreePort(folder: string, commandOn: (port: number) => ServerCommand): Promise<OwnServer> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST_PORT, FIRST_PORT + PORTS);
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
