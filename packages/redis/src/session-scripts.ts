import { LIMITS } from '@keepsake/core';
import { reading, writing } from './script.ts';

/*
 * What is done to a session in one atomic step each. All reads come first: they fail on keys that hold something else,
 * and a script that has written can't take it back.
 *
 * Scripts that change a session take its keys in the order of `SessionKeys`, then as arguments a mark, the session id,
 * and the TTL in milliseconds, or 0 to leave it as it is. ioredis sends again what was not answered when a link broke:
 * the mark is the same then, and the script answers as it did, and does nothing.
 */

/** How many marks a shard keeps, the newest; and for how long after the last of them. */
const MARKS = 2_000;
const MARKS_MS = 10 * 60_000;

/** How many sessions of a shard that have expired a write takes out of its lists. */
const SWEEP = 20;

/** Lua's stack holds 8,000 values. */
const CHUNK = 5_000;

/** Reads what every change needs. `activity` rises with every change in the shard, also when the clock goes back. */
const BEGIN = `
  local items, facts, operations, order, sessions, expiry, recent = unpack(KEYS)
  local mark, id, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local known = redis.call('ZSCORE', recent, mark)
  local created = redis.call('HGET', facts, 'created')
  local expires = redis.call('ZSCORE', expiry, id)
  local newest = redis.call('ZREVRANGE', sessions, 0, 0, 'WITHSCORES')[2]
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local activity = math.max(now, (tonumber(newest) or 0) + 1)`;

/** Appends the arguments from `first` on to the items. */
const PUSH = `
  for from = first, #ARGV, ${CHUNK} do
    redis.call('RPUSH', items, unpack(ARGV, from, math.min(from + ${CHUNK - 1}, #ARGV)))
  end`;

/** Remembers the mark. */
const REMEMBER = `
  redis.call('ZADD', recent, activity, mark)
  redis.call('ZREMRANGEBYRANK', recent, 0, ${-1 - MARKS})
  redis.call('PEXPIRE', recent, ${MARKS_MS})`;

/** Has the lists of the shard expire with its last session, where all of them do. */
const SETTLE = `
  if redis.call('ZCARD', sessions) > redis.call('ZCARD', expiry) then
    redis.call('PERSIST', sessions)
    redis.call('PERSIST', expiry)
  else
    local latest = redis.call('ZREVRANGE', expiry, 0, 0, 'WITHSCORES')[2]
    if latest then
      redis.call('PEXPIREAT', sessions, latest)
      redis.call('PEXPIREAT', expiry, latest)
    end
  end`;

/** Takes sessions that have expired out of the lists of the shard. */
const sweep = (most: number) => `
  local gone = redis.call('ZRANGEBYSCORE', expiry, '-inf', string.format('(%.0f', math.floor(now / 1000)), 'LIMIT', 0, ${most})
  if #gone > 0 then
    redis.call('ZREM', sessions, unpack(gone))
    redis.call('ZREM', expiry, unpack(gone))
  end`;

/** Has all keys of the session expire at one time, `at`. One that was emptied and filled again had lost its time. */
const EXPIRE = `
  redis.call('PEXPIREAT', items, at)
  redis.call('PEXPIREAT', facts, at)
  redis.call('PEXPIREAT', operations, at)
  redis.call('PEXPIREAT', order, at)`;

/** Notes the change: the session is there, and the newest of its shard. */
const FINISH = `
  if not created then
    redis.call('HSET', facts, 'created', activity, 'rewritten', activity)
    redis.call('ZREM', expiry, id)
  end
  redis.call('ZADD', sessions, activity, id)
  ${REMEMBER}
  if ttl > 0 then
    local at = math.floor(now / 1000) + ttl
    ${EXPIRE}
    redis.call('ZADD', expiry, at, id)
  elseif created and expires then
    local at = expires
    ${EXPIRE}
  end
  if ttl > 0 or not created then
    ${sweep(SWEEP)}
    ${SETTLE}
  end`;

/**
 * Changes the end of a session: replaces the items that it is to end with by others.
 *
 * Arguments: an operation id or '', its digest, how many items are expected, those, then the new ones.
 * Returns 'done'; 'known' and the digest of an operation that was done before; 'other' and the items that it ends with.
 */
export const CHANGE_END = writing(`${BEGIN}
  if known then return { 'done' } end
  local operation, digest, expected = ARGV[4], ARGV[5], tonumber(ARGV[6])
  if operation ~= '' then
    redis.call('LLEN', order)
    local before = redis.call('HGET', operations, operation)
    if before then return { 'known', before } end
  end
  if expected > 0 then
    local tail = redis.call('LRANGE', items, -expected, -1)
    local same = #tail == expected
    for index = 1, expected do same = same and tail[index] == ARGV[6 + index] end
    if not same then return { 'other', tail } end
    redis.call('LTRIM', items, 0, -1 - expected)
  end
  local first = 7 + expected
  ${PUSH}
  if created and expected > 0 then redis.call('HSET', facts, 'rewritten', activity) end
  if operation ~= '' then
    redis.call('HSET', operations, operation, digest)
    if redis.call('LPUSH', order, operation) > ${LIMITS.operationIds} then
      redis.call('HDEL', operations, redis.call('RPOP', order))
    end
  end
  ${FINISH}
  return { 'done' }`);

/** Goes on only when the session is as it was read: when it was last rewritten, and how many items it has. */
const UNCHANGED = `
  if known then return 'done' end
  local length = redis.call('LLEN', items)
  if (redis.call('HGET', facts, 'rewritten') or '') ~= ARGV[4] or length ~= tonumber(ARGV[5]) then return 'changed' end`;

/**
 * Replaces and drops single items.
 *
 * Arguments: what the session is to be, see UNCHANGED; how many are replaced; those, each its index and its new text;
 * then the indexes of those to be dropped. Returns 'done' or 'changed'.
 */
export const EDIT = writing(`${BEGIN}
  ${UNCHANGED}
  local drops = 7 + 2 * ARGV[6]
  for at = 7, drops - 1, 2 do redis.call('LSET', items, ARGV[at], ARGV[at + 1]) end
  for at = drops, #ARGV do redis.call('LSET', items, ARGV[at], mark) end
  if #ARGV >= drops then redis.call('LREM', items, 0, mark) end
  redis.call('HSET', facts, 'rewritten', activity)
  ${FINISH}
  return 'done'`);

/** Replaces all items. Arguments: what the session is to be, see UNCHANGED; the items. Returns 'done' or 'changed'. */
export const REPLACE = writing(`${BEGIN}
  ${UNCHANGED}
  redis.call('UNLINK', items)
  local first = 6
  ${PUSH}
  redis.call('HSET', facts, 'rewritten', activity)
  ${FINISH}
  return 'done'`);

/** Removes all items and operations of a session that is there. */
export const CLEAR = writing(`${BEGIN}
  local length = redis.call('LLEN', items) + redis.call('HLEN', operations) + redis.call('LLEN', order)
  if known or not created and length == 0 then return end
  redis.call('UNLINK', items, operations, order)
  redis.call('HSET', facts, 'rewritten', activity)
  ${FINISH}`);

/** Removes a session. Returns 1 where it was there, else 0. */
export const DELETE = writing(`${BEGIN}
  local length = redis.call('LLEN', items) + redis.call('HLEN', operations) + redis.call('LLEN', order)
  if known then return 1 end
  redis.call('UNLINK', items, facts, operations, order)
  redis.call('ZREM', sessions, id)
  redis.call('ZREM', expiry, id)
  ${SETTLE}
  if not created and length == 0 then return 0 end
  ${REMEMBER}
  return 1`);

/** Has the TTL of a session that is there begin anew. It is no activity, and no harm when it was done unseen. */
export const TOUCH = reading(`${BEGIN}
  if not created then return end
  local at = math.floor(now / 1000) + ttl
  ${EXPIRE}
  redis.call('ZADD', expiry, at, id)
  ${sweep(SWEEP)}
  ${SETTLE}`);

/** Reads the newest items of `KEYS[1]`, so many of them. Returns how many there are in all, and the items. */
export const READ_END = reading(`
  return { redis.call('LLEN', KEYS[1]), redis.call('LRANGE', KEYS[1], -ARGV[1], -1) }`);

/**
 * Goes on with reading a history by pieces: `KEYS` are its items and facts.
 *
 * Arguments: when it was last rewritten, as far as the reader knows; from which index on; how many. Where it was
 * rewritten since then, reads from the beginning. Returns when it was, how many items there are in all, and the items.
 */
export const READ_ON = reading(`
  local rewritten = redis.call('HGET', KEYS[2], 'rewritten') or ''
  local from = rewritten == ARGV[1] and tonumber(ARGV[2]) or 0
  return { rewritten, redis.call('LLEN', KEYS[1]), redis.call('LRANGE', KEYS[1], from, from + ARGV[3] - 1) }`);

/** How many expired sessions the list of a shard takes out at a time. */
const LIST_SWEEP = 1_000;

/**
 * Lists the sessions of a shard, newest activity first: `KEYS` are its sessions and expiry.
 *
 * Arguments: the newest activity to be listed, as a bound of ZREVRANGEBYSCORE; how many. Returns the ids, each with its
 * activity; `null` where there is more to be swept before.
 */
export const LIST = reading(`
  local sessions, expiry = unpack(KEYS)
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  ${sweep(LIST_SWEEP)}
  if #gone == ${LIST_SWEEP} then return nil end
  return redis.call('ZREVRANGEBYSCORE', sessions, ARGV[1], '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])`);

/**
 * Describes sessions of one shard: `KEYS` are its sessions, then the facts and items of each; arguments are their ids.
 * Returns for each its activity, when it was created, and its number of items; `null` for one that is gone.
 */
export const DESCRIBE = reading(`
  local found = {}
  for index, id in ipairs(ARGV) do
    local created = redis.call('HGET', KEYS[2 * index], 'created')
    local activity = redis.call('ZSCORE', KEYS[1], id)
    found[index] = created and activity and { activity, created, redis.call('LLEN', KEYS[2 * index + 1]) }
  end
  return found`);
