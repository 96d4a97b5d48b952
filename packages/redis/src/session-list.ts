import type { SessionInfo } from '@keepsake/core';
import { SESSION_SHARDS, sessionKeys, shardKeys } from './keys.ts';
import type { RedisClient } from './redis-client.ts';
import { run } from './script.ts';
import { DESCRIBE, LIST } from './session-scripts.ts';

/**
 * A session in the list of all: by its last activity, in microseconds since 1970. Those that tie, since the clock went
 * back, are in the order of their shards, and there in that of Redis.
 */
export interface Listed {
  readonly activity: number;
  readonly shard: number;
  readonly sessionId: string;
}

/** What a shard gave. */
interface Stretch {
  readonly shard: number;
  readonly found: readonly Listed[];
  /** Where it ends before the shard does. */
  readonly end: Listed | undefined;
}

/** The sessions of all shards that come after one, newest activity first, so many of them. */
export async function newestSessions(
  client: RedisClient,
  keyPrefix: string,
  after: Listed | undefined,
  count: number,
): Promise<Listed[]> {
  // Sessions are spread evenly: what a page needs of one shard is a little more than its share, and rarely twice that.
  let share = Math.ceil((2 * count) / SESSION_SHARDS) + 2;
  const read = (shard: number) => readShard(client, keyPrefix, shard, after, share);
  const stretches = await Promise.all(Array.from({ length: SESSION_SHARDS }, (_, shard) => read(shard)));
  for (;;) {
    const all = stretches.flatMap(({ found }) => found).sort(newestFirst);
    const newest = all.slice(0, count);
    const short = stretches.filter((stretch) => mayLack(stretch, newest, count));
    if (short.length === 0) return newest;
    share *= 2;
    for (const stretch of await Promise.all(short.map(({ shard }) => read(shard)))) stretches[stretch.shard] = stretch;
  }
}

/** Whether a shard may have more sessions that belong among the newest. */
function mayLack({ end }: Stretch, newest: readonly Listed[], count: number): boolean {
  const last = newest.at(-1);
  return end !== undefined && (last === undefined || newest.length < count || newestFirst(end, last) < 0);
}

function newestFirst(a: Listed, b: Listed): number {
  return (
    b.activity - a.activity || a.shard - b.shard || Buffer.compare(Buffer.from(b.sessionId), Buffer.from(a.sessionId))
  );
}

async function readShard(
  client: RedisClient,
  keyPrefix: string,
  shard: number,
  after: Listed | undefined,
  count: number,
): Promise<Stretch> {
  const { sessions, expiry } = shardKeys(keyPrefix, shard);
  for (;;) {
    const reply = await run(client, LIST, [sessions, expiry], after?.activity ?? '+inf', count);
    if (reply === null) continue;
    const texts = reply as string[];
    const read = Array.from({ length: texts.length / 2 }, (_, index) => ({
      activity: Number(texts[2 * index + 1]),
      shard,
      sessionId: texts[2 * index] as string,
    }));
    const found = after ? read.filter((listed) => newestFirst(after, listed) < 0) : read;
    return { shard, found, end: read.length < count ? undefined : read.at(-1) };
  }
}

/** What a list says of the sessions, in their order; without those that are gone by now. */
export async function describeSessions(
  client: RedisClient,
  keyPrefix: string,
  listed: readonly Listed[],
): Promise<SessionInfo[]> {
  const byShard = Map.groupBy(listed, ({ shard }) => shard);
  const described = await Promise.all(
    [...byShard.values()].map((sessions) =>
      describeShard(
        client,
        keyPrefix,
        sessions.map(({ sessionId }) => sessionId),
      ),
    ),
  );
  const infos = new Map(described.flat().map((info) => [info.sessionId, info]));
  return listed.flatMap(({ sessionId }) => infos.get(sessionId) ?? []);
}

async function describeShard(client: RedisClient, keyPrefix: string, ids: readonly string[]): Promise<SessionInfo[]> {
  const keys = ids.map((id) => sessionKeys(keyPrefix, id));
  const own = keys.flatMap(({ facts, items }) => [facts, items]);
  const reply = await run(client, DESCRIBE, [keys[0]?.sessions ?? '', ...own], ids);
  return (reply as ([string, string, number] | null)[]).flatMap((facts, index) => {
    if (facts === null) return [];
    const [activity, created, itemCount] = facts;
    return {
      sessionId: ids[index] as string,
      itemCount: Number(itemCount),
      createdAt: isoTime(created),
      updatedAt: isoTime(activity),
    };
  });
}

function isoTime(microseconds: string): string {
  return new Date(Math.floor(Number(microseconds) / 1_000)).toISOString();
}
