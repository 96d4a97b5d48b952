import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore } from '@keepsake/core';
import { startRedis } from '@keepsake/services';
import { connectPrisma, type Prisma, startPrisma } from '@keepsake/services/prisma';
import { Redis } from 'ioredis';

/** Where a store is: a backend, a path or URL, and what tells it from others there. */
export type Address = readonly [backend: string, where: string, place?: string];

/** A store, and how to close it with its client. */
export interface OpenedStore {
  readonly store: RecordStore;
  close(): Promise<unknown>;
}

/** An empty place of a backend. */
export interface Place {
  /** Opens its store. Each call returns a new instance, as in another process. */
  open(): RecordStore;
  /** For another process; `undefined` if none can open it. */
  readonly address: Address | undefined;
}

export interface Backend {
  readonly name: string;
  /** Whether several processes can open a place. */
  readonly shared: boolean;
  /** Starts it, and returns how to make places and how to stop it. */
  start(): Promise<{ makePlace(): Place; stop(): Promise<void> }>;
}

type StoreClass<Options> = new (options: Options & { readonly name: string }) => RecordStore;

/** The stores of the backends. Passed in, because the tests of their packages use these suites. */
export interface StoreClasses {
  readonly InMemoryStore: StoreClass<unknown>;
  readonly FileStore: StoreClass<{ readonly directory: string }>;
  readonly SqliteStore: StoreClass<{ readonly file: string }>;
  readonly RedisStore: StoreClass<{ readonly client: Redis; readonly keyPrefix: string }>;
  readonly PrismaStore: StoreClass<{ readonly prisma: Prisma; readonly namespace: readonly string[] }>;
}

const NAME = 'memory';

/** The backends that keep records of any kind, for suites that must pass on each. */
export function storeBackends(classes: StoreClasses): readonly Backend[] {
  const open = (address: Address) => openStore(classes, address);
  return [
    {
      name: 'in-memory',
      shared: false,
      start: async () => ({
        makePlace() {
          const store = new classes.InMemoryStore({ name: NAME });
          return { open: () => store.within([]), address: undefined };
        },
        stop: async () => {},
      }),
    },
    inDirectories(open, 'file', (directory) => ['file', directory]),
    inDirectories(open, 'sqlite', (directory) => ['sqlite', join(directory, 'memory.db')]),
    {
      name: 'redis',
      shared: true,
      async start() {
        const server = await startRedis();
        let places = 0;
        return onAddresses(
          open,
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
          open,
          () => ['prisma', url, `place ${++places}`],
          () => server.stop(),
        );
      },
    },
  ];
}

/** Opens the store at an address, in any process. */
export function openStore(classes: StoreClasses, [backend, where, place = '']: Address): OpenedStore {
  if (backend === 'file') return closing(new classes.FileStore({ directory: where, name: NAME }));
  if (backend === 'sqlite') return closing(new classes.SqliteStore({ file: where, name: NAME }));
  if (backend === 'redis') {
    const client = new Redis(where);
    const store = new classes.RedisStore({ client, keyPrefix: place, name: NAME });
    return { store, close: async () => client.disconnect() };
  }
  const prisma = connectPrisma(where);
  const store = new classes.PrismaStore({ prisma, name: NAME, namespace: [place] });
  return { store, close: () => prisma.$disconnect() };
}

function closing(store: RecordStore): OpenedStore {
  return { store, close: () => store.close() };
}

type Open = (address: Address) => OpenedStore;

function inDirectories(open: Open, name: string, addressOf: (directory: string) => Address): Backend {
  return {
    name,
    shared: true,
    async start() {
      const directories: string[] = [];
      return onAddresses(
        open,
        () => {
          const directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
          directories.push(directory);
          return addressOf(directory);
        },
        async () => directories.forEach((directory) => void rmSync(directory, { recursive: true, force: true })),
      );
    },
  };
}

function onAddresses(open: Open, newAddress: () => Address, stop: () => Promise<void>) {
  const opened: OpenedStore[] = [];
  return {
    makePlace() {
      const address = newAddress();
      const openOne = () => {
        const one = open(address);
        opened.push(one);
        return one.store;
      };
      return { open: openOne, address };
    },
    async stop() {
      for (const one of opened) await one.close();
      await stop();
    },
  };
}
