import { formatNamespace, type SessionInfo, type SessionListOptions } from '@keepsake/core';
import { SESSION_SHARDS, sessionKeys, shardKeys } from '../client/keys.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { run, type Script } from '../client/script.ts';
import {
  DESCRIBE,
  type Description,
  IDS_AT_ONCE,
  LIST_SHARD,
  LIST_WITH_PREFIX,
  LIST_WITH_SEGMENT,
} from '../lua/sessions/session-list.ts';

/**
 * A session in the list of all, which is in the order of their last activity, in microseconds since 1970. Ties, which occur
 * when a clock goes back, are in the order of their shards, and within a shard in the order of Redis.
 */
export interface Listed {
  readonly activity: number;
  readonly shard: number;
  readonly sessionId: string;
}

/** The sessions that were read of a shard. */
interface ShardPage {
  readonly shard: number;
  readonly sessions: readonly Listed[];
  /** The last of them, if the shard may have more. */
  readonly end: Listed | undefined;
}

/** The next sessions of all shards after one of them, newest activity first. */
export async function newestSessions(
  client: RedisClient,
  keyPrefix: string,
  after: Listed | undefined,
  count: number,
): Promise<Listed[]> {
  // Sessions are spread evenly, so a page needs a little more than the share of each shard, and rarely twice that.
  let share = Math.ceil((2 * count) / SESSION_SHARDS) + 2;
  const read = (shard: number) => readShard(client, keyPrefix, shard, after, share);
  const pages = await Promise.all(Array.from({ length: SESSION_SHARDS }, (_, shard) => read(shard)));
  for (;;) {
    const all = pages.flatMap(({ sessions }) => sessions).sort(newestFirst);
    const newest = all.slice(0, count);
    const short = pages.filter((page) => mayHaveMore(page, newest, count));
    if (short.length === 0) return newest;
    share *= 2;
    for (const page of await Promise.all(short.map(({ shard }) => read(shard)))) pages[page.shard] = page;
  }
}

/**
 * The next sessions whose ids begin with a text and have a segment after one of them, newest activity first. Reads all that have
 * the segment, or else those that begin with the text, for each page, and none of the others.
 */
export async function newestAmong(
  client: RedisClient,
  keyPrefix: string,
  { idPrefix = '', segment }: Pick<SessionListOptions, 'idPrefix' | 'segment'>,
  after: Listed | undefined,
  count: number,
): Promise<Listed[]> {
  const shards = Array.from({ length: SESSION_SHARDS }, (_, shard) => {
    const { sessions, ids, segments } = shardKeys(keyPrefix, shard);
    return segment === undefined
      ? foundIn(client, shard, LIST_WITH_PREFIX, [sessions, ids], idPrefix)
      : foundIn(client, shard, LIST_WITH_SEGMENT, [sessions, segments], formatNamespace([segment]));
  });
  const foundSessions = (await Promise.all(shards)).flat().filter(({ sessionId }) => sessionId.startsWith(idPrefix));
  const all = foundSessions.sort(newestFirst);
  return (after ? all.filter((listed) => newestFirst(after, listed) < 0) : all).slice(0, count);
}

/** The sessions of a shard that a script finds by a text. */
async function foundIn(
  client: RedisClient,
  shard: number,
  script: Script,
  keys: readonly string[],
  text: string,
): Promise<Listed[]> {
  const sessions: Listed[] = [];
  for (let last = ''; ; ) {
    const texts = (await run(client, script, keys, text, last)) as (string | null)[];
    for (let at = 0; at < texts.length; at += 2) {
      last = texts[at] as string;
      // A session without an activity is gone.
      if (texts[at + 1] !== null) sessions.push({ activity: Number(texts[at + 1]), shard, sessionId: last });
    }
    if (texts.length < 2 * IDS_AT_ONCE) return sessions;
  }
}

/** Whether a shard may have more sessions that belong among the newest. */
function mayHaveMore({ end }: ShardPage, newest: readonly Listed[], count: number): boolean {
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
): Promise<ShardPage> {
  const { sessions, expiry, ids, segments } = shardKeys(keyPrefix, shard);
  for (;;) {
    const reply = await run(client, LIST_SHARD, [sessions, expiry, ids, segments], after?.activity ?? '+inf', count);
    if (reply === null) continue;
    const texts = reply as string[];
    const read = Array.from({ length: texts.length / 2 }, (_, index) => ({
      activity: Number(texts[2 * index + 1]),
      shard,
      sessionId: texts[2 * index] as string,
    }));
    const pageSessions = after ? read.filter((listed) => newestFirst(after, listed) < 0) : read;
    return { shard, sessions: pageSessions, end: read.length < count ? undefined : read.at(-1) };
  }
}

/** Describes sessions in their order, without those that are gone by now. */
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
  const own = keys.flatMap(({ metadata, items }) => [metadata, items]);
  const reply = await run(client, DESCRIBE, [keys[0]?.sessions ?? '', ...own], ids);
  return (reply as (Description | null)[]).flatMap((description, n) => {
    if (description === null) return [];
    const [activity, created, itemCount] = description;
    return {
      sessionId: ids[n] as string,
      itemCount: Number(itemCount),
      createdAt: isoTime(created),
      updatedAt: isoTime(activity),
    };
  });
}

function isoTime(microseconds: string): string {
  return new Date(Math.floor(Number(microseconds) / 1_000)).toISOString();
}
