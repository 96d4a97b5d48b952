import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { startRedis } from '@keepsake/services';
import { startPrisma } from '@keepsake/services/prisma';
import { type Address, openStore } from './open-store.ts';

/** An empty place of a backend. */
export interface Place {
  /** Opens its store. Each call returns a new instance, as in another process. */
  open(): RecordStore;
  /** For another process; `undefined` if none can open it. */
  readonly address: Address | undefined;
}

interface Backend {
  readonly name: string;
  readonly shared: boolean;
  /** Starts it, and returns how to make places and how to stop it. */
  start(): Promise<{ makePlace(): Place; stop(): Promise<void> }>;
}

/** The backends whose stores can hold a storage. */
export const backends: readonly Backend[] = [
  {
    name: 'in-memory',
    shared: false,
    start: async () => ({
      makePlace() {
        const store = new InMemoryStore({ name: 'agents' });
        return { open: () => store.within([]), address: undefined };
      },
      stop: async () => {},
    }),
  },
  inDirectories('file', (directory) => ['file', directory]),
  inDirectories('sqlite', (directory) => ['sqlite', join(directory, 'agents.db')]),
  {
    name: 'redis',
    shared: true,
    async start() {
      const server = await startRedis();
      let places = 0;
      return onAddresses(
        () => ['redis', server.url, `place ${++places}*:`],
        () => server.stop(),
      );
    },
  },
  {
    name: 'postgresql',
    shared: true,
    async start() {
      const server = await startPrisma();
      const { prisma, url } = server.connect();
      // The first statement creates the database.
      await prisma.$executeRawUnsafe('SELECT 1');
      let places = 0;
      return onAddresses(
        () => ['prisma', url, `place ${++places}`],
        () => server.stop(),
      );
    },
  },
];

function inDirectories(name: string, addressOf: (directory: string) => Address): Backend {
  return {
    name,
    shared: true,
    async start() {
      const directories: string[] = [];
      return onAddresses(
        () => {
          const directory = mkdtempSync(join(tmpdir(), 'keepsake-strands-'));
          directories.push(directory);
          return addressOf(directory);
        },
        async () => directories.forEach((directory) => void rmSync(directory, { recursive: true, force: true })),
      );
    },
  };
}

function onAddresses(newAddress: () => Address, stop: () => Promise<void>): Awaited<ReturnType<Backend['start']>> {
  const opened: ReturnType<typeof openStore>[] = [];
  return {
    makePlace() {
      const address = newAddress();
      const open = () => {
        const one = openStore(address);
        opened.push(one);
        return one.store;
      };
      return { open, address };
    },
    async stop() {
      for (const one of opened) await one.close();
      await stop();
    },
  };
}
