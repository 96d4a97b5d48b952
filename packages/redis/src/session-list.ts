import type { SessionInfo } from '@keepsake/core';
import { SESSION_SHARDS, sessionKeys, shardKeys } from './keys.ts';
import type { RedisClient } from './redis-client.ts';
import { run } from './script.ts';
import { DESCRIBE, LIST } from './session-scripts.ts';

/** Where a session stands in the list of all: by its activity, in microseconds since 1970; by shard where those tie. */
export interface Place {
  readonly activity: number;
  readonly shard: number;
}

/** A session in the list of all. In a shard no two have the same activity. */
export interface Listed extends Place {
  readonly sessionId: string;
}

/** What a shard gave: the newest of it, and whether those are all. */
interface Stretch {
  readonly shard: number;
  readonly found: readonly Listed[];
  readonly whole: boolean;
}

/** The sessions of all shards that come after a place, newest activity first, so many of them. */
export async function newestSessions(
  client: RedisClient,
  keyPrefix: string,
  after: Place | undefined,
  count: number,
): Promise<Listed[]> {
  const read = (share: number) => (shard: number) => readShard(client, keyPrefix, shard, after, share);
  // Their ids are spread evenly: what a page needs of one shard is a little more than its share, and rarely twice that.
  let share = Math.ceil((2 * count) / SESSION_SHARDS) + 2;
  const stretches = await Promise.all(Array.from({ length: SESSION_SHARDS }, (_, shard) => read(share)(shard)));
  for (;;) {
    const newest = stretches
      .flatMap(({ found }) => found)
      .sort(newestFirst)
      .slice(0, count);
    const short = stretches.filter((stretch) => mayLack(stretch, newest, count));
    if (short.length === 0) return newest;
    share = Math.min(2 * share, count);
    for (const stretch of await Promise.all(short.map(({ shard }) => read(share)(shard)))) {
      stretches[stretch.shard] = stretch;
    }
  }
}

/** Whether a shard may have more sessions that belong among the newest. */
function mayLack({ found, whole }: Stretch, newest: readonly Listed[], count: number): boolean {
  const [ownLast, last] = [found.at(-1), newest.at(-1)];
  if (whole || ownLast === undefined || last === undefined) return false;
  return newest.length < count || newestFirst(ownLast, last) < 0;
}

function newestFirst(a: Place, b: Place): number {
  return b.activity - a.activity || a.shard - b.shard;
}

async function readShard(
  client: RedisClient,
  keyPrefix: string,
  shard: number,
  after: Place | undefined,
  count: number,
): Promise<Stretch> {
  const { sessions, expiry } = shardKeys(keyPrefix, shard);
  for (;;) {
    const reply = (await run(client, LIST, [sessions, expiry], bound(after, shard), count)) as string[] | null;
    if (reply === null) continue;
    const found = Array.from({ length: reply.length / 2 }, (_, index) => ({
      sessionId: reply[2 * index] as string,
      activity: Number(reply[2 * index + 1]),
      shard,
    }));
    return { shard, found, whole: found.length < count };
  }
}

/** The newest activity that comes after a place, for ZREVRANGEBYSCORE. */
function bound(after: Place | undefined, shard: number): string {
  if (after === undefined) return '+inf';
  return shard > after.shard ? `${after.activity}` : `(${after.activity}`;
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
    return { sessionId: ids[index] as string, itemCount: Number(itemCount), createdAt: isoTime(created), updatedAt: isoTime(activity) };
  });
}

function isoTime(microseconds: string): string {
  return new Date(Math.floor(Number(microseconds) / 1_000)).toISOString();
}
