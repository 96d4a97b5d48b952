import { Redis } from 'ioredis';
import type { RedisServer } from './redis-server.ts';

/** The claim of a killed test expires after a day. */
const CLAIM_SECONDS = 86_400;

/**
 * Borrows an empty database of a running server, and empties it on `stop()`. Several processes can do so concurrently.
 *
 * Claims are keys in the database that the URL names. Nothing else there is touched.
 */
export async function borrowRedis(given: string): Promise<RedisServer> {
  const url = new URL(given);
  const home = Number(url.pathname.slice(1));
  const database = await connected(given, (client) => claimDatabase(client, home)).catch((cause) => {
    throw new Error(
      'REDIS_URL must name a running server with an empty database. Start or empty it, or unset the variable.',
      { cause },
    );
  });
  url.pathname = `/${database}`;
  return {
    host: url.hostname,
    port: Number(url.port || 6379),
    url: url.href,
    kill: refuse,
    restart: refuse,
    stop: () => connected(given, (client) => giveBack(client, home, database)),
  };
}

async function refuse(): Promise<never> {
  throw new Error('The server of REDIS_URL must not be stopped by tests. Start one with startRedis({ own: true }).');
}

/**
 * Finds an empty database by trying, because a server may not report their number. It refuses to select one that it does not
 * have.
 */
async function claimDatabase(client: Redis, home: number): Promise<number> {
  for (let database = 0; ; database++) {
    if (database === home || (await client.set(claimOn(database), '', 'EX', CLAIM_SECONDS, 'NX')) === null) continue;
    let empty = false;
    try {
      await client.select(database);
      empty = (await client.dbsize()) === 0;
    } finally {
      await client.select(home);
      if (!empty) await client.del(claimOn(database));
    }
    if (empty) return database;
  }
}

async function giveBack(client: Redis, home: number, database: number): Promise<void> {
  await client.select(database);
  await client.flushdb();
  await client.select(home);
  await client.del(claimOn(database));
}

function claimOn(database: number): string {
  return `keepsake:services:database:${database}`;
}

async function connected<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {}); // The calls fail with the same error.
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}
