import { LIMITS } from '@keepsake/core';
import { CHUNK, reading, writing } from './script.ts';

/*
 * What is done to a session in one atomic step each. All reads come first: they fail on keys that hold something else,
 * and a script that has written can't take it back.
 *
 * Scripts that change a session take as keys its items and facts, the sessions and the expiry of its shard, and the
 * marks; then as arguments a mark, the session id, and the TTL in milliseconds, or 0 to leave it as it is. ioredis sends again what was not answered when a link broke:
 * the mark is the same then, so the script answers as it did, and does nothing.
 */

/** Marks are kept for a period at least, and two at most. */
export const MARKS_PERIOD_MS = 5 * 60_000;

/** How many sessions of a shard that have expired a write takes out of its lists, at most. */
const SWEEP = 20;

/**
 * Reads what every change needs. `rewritten` tells readers whether what they have read still stands: it rises, also
 * when the clock goes back. `at` is when the items are to expire; `listed` when all else of the session does, as its
 * shard knows: a little later, so that not every change has to move it.
 */
const BEGIN = `
  local items, facts, sessions, expiry, marks = unpack(KEYS)
  local mark, id, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local fact = redis.call('HMGET', facts, 'created', 'rewritten', 'listed')
  local created, rewritten, listed = fact[1], fact[2] or '', tonumber(fact[3] or 0)
  local length = redis.call('LLEN', items)
  redis.call('ZCARD', sessions)
  local time = redis.call('TIME')
  local now, ms = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
  local at
  if ttl > 0 then
    at = ms + ttl
  elseif listed > 0 then
    at = listed
  end
  local relist = not created or ttl > 0 and at > listed
  if relist then redis.call('ZCARD', expiry) end`;

/**
 * Notes the mark; answers where the change was done before, also on a server that takes no writes any more: it may have
 * taken this one when it was sent first.
 */
const markOnce = (reply: string) => `
  local added = redis.pcall('SADD', marks, mark)
  if type(added) == 'table' and redis.call('SISMEMBER', marks, mark) == 0 then return added end
  if added ~= 1 then return ${reply} end`;

/** Goes on unless the change was done before. Writes, so that all that is read or refused has to come before. */
const once = (reply: string) => `${markOnce(reply)}
  if redis.call('PTTL', marks) < 0 then redis.call('PEXPIRE', marks, ${2 * MARKS_PERIOD_MS}) end`;

/** Whether the change was done before; for those that read what they have changed, and may refuse. */
const answered = (reply: string) => `
  if redis.call('SISMEMBER', marks, mark) == 1 then return ${reply} end`;

/** Appends the arguments from `first` on to the items. */
const push = (first: string | number) => `
  for from = ${first}, #ARGV, ${CHUNK} do
    redis.call('RPUSH', items, unpack(ARGV, from, math.min(from + ${CHUNK - 1}, #ARGV)))
  end`;

/** Notes that the session was changed otherwise than by an append. */
const REWRITTEN = `
  redis.call('HSET', facts, 'rewritten', math.max(now, (tonumber(rewritten) or 0) + 1))`;

/** Takes sessions that have expired out of the lists of the shard. */
const sweep = (most: number) => `
  local gone = redis.call('ZRANGEBYSCORE', expiry, '-inf', string.format('(%.0f', ms), 'LIMIT', 0, ${most})
  if #gone > 0 then
    redis.call('ZREM', sessions, unpack(gone))
    redis.call('ZREM', expiry, unpack(gone))
  end`;

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

/** Has the session expire. A list that was emptied and filled again had lost its time. */
const EXPIRE = `
  if at then redis.call('PEXPIREAT', items, at) end
  if relist then
    if ttl > 0 then
      listed = at + math.ceil(ttl / 64)
      redis.call('HSET', facts, 'listed', listed)
      redis.call('PEXPIREAT', facts, listed)
      redis.call('ZADD', expiry, listed, id)
    else
      redis.call('ZREM', expiry, id)
    end
    ${sweep(SWEEP)}
    ${SETTLE}
  end`;

/** Notes that the session is there, and has changed. */
const FINISH = `
  if not created then redis.call('HSET', facts, 'created', now, 'rewritten', now) end
  redis.call('ZADD', sessions, now, id)
  ${EXPIRE}`;

/**
 * Appends items, which are its arguments. Returns for how many milliseconds appends by APPEND_ON will do: until the list
 * of the shard has to know that the session lives on.
 */
export const APPEND = writing(`${BEGIN}
  ${once('0')}
  ${push(4)}
  ${FINISH}
  return at and listed - at or ${MARKS_PERIOD_MS}`);

/**
 * Appends items, which are its arguments, `CHUNK` at most, to a session that was just appended to by APPEND: what most
 * calls are, so it asks Redis for nothing that can wait. Returns 1; or 0 where it has to be APPEND, having done nothing.
 *
 * `KEYS` are the items, the sessions and the marks. Each step may meet a key of another type, and those before it are taken back then.
 */
export const APPEND_ON = writing(`
  local items, sessions, marks = unpack(KEYS)
  local mark, id, ttl = ARGV[1], ARGV[2], ARGV[3]
  ${markOnce('1')}
  local length = redis.pcall('RPUSHX', items, unpack(ARGV, 4))
  if length == 0 or type(length) == 'table' then
    redis.call('SREM', marks, mark)
    return 0
  end
  local time = redis.call('TIME')
  if type(redis.pcall('ZADD', sessions, time[1] * 1000000 + time[2], id)) == 'table' then
    redis.call('LTRIM', items, 0, 2 - #ARGV)
    redis.call('SREM', marks, mark)
    return 0
  end
  if ttl ~= '0' then redis.call('PEXPIRE', items, ttl) end
  return 1`);

/**
 * Changes the end of a session: replaces the items that it is to end with by others.
 *
 * Arguments: an operation id or '', its digest, how many items are expected, those, then the new ones.
 * Returns 'done'; 'known' and the digest of an operation that was done before; 'other' and the items that it ends with.
 */
export const CHANGE_END = writing(`${BEGIN}
  local operation, expected = ARGV[4], tonumber(ARGV[6])
  if operation ~= '' then
    ${answered("{ 'done' }")}
    local before = redis.call('HGET', facts, 'operation:' .. operation)
    if before then return { 'known', before } end
  end
  if expected > 0 then
    ${answered("{ 'done' }")}
    local tail = redis.call('LRANGE', items, -expected, -1)
    local same = #tail == expected
    for index = 1, expected do same = same and tail[index] == ARGV[6 + index] end
    if not same then return { 'other', tail } end
  end
  ${once("{ 'done' }")}
  if expected > 0 then
    redis.call('LTRIM', items, 0, -1 - expected)
    ${REWRITTEN}
  end
  ${push('7 + expected')}
  if operation ~= '' then
    local place = redis.call('HINCRBY', facts, 'operations', 1)
    redis.call('HSET', facts, 'operation:' .. operation, ARGV[5], 'place:' .. place, operation)
    local last = 'place:' .. place - ${LIMITS.operationIds}
    local oldest = redis.call('HGET', facts, last)
    if oldest then redis.call('HDEL', facts, last, 'operation:' .. oldest) end
  end
  ${FINISH}
  return { 'done' }`);

/** Goes on only when the session is as it was read: when it was last rewritten, and how many items it has. */
const UNCHANGED = `
  ${answered("'done'")}
  if rewritten ~= ARGV[4] or length ~= tonumber(ARGV[5]) then return 'changed' end
  ${once("'done'")}
  ${REWRITTEN}`;

/**
 * Replaces and drops single items.
 *
 * Arguments: what the session is to be, see UNCHANGED; how many are replaced; those, each its index and its new text;
 * then the indexes of those to be dropped. Returns 'done' or 'changed'.
 */
export const EDIT = writing(`${BEGIN}
  ${UNCHANGED}
  local drops = 7 + 2 * ARGV[6]
  for place = 7, drops - 1, 2 do redis.call('LSET', items, ARGV[place], ARGV[place + 1]) end
  for place = drops, #ARGV do redis.call('LSET', items, ARGV[place], mark) end
  if #ARGV >= drops then redis.call('LREM', items, 0, mark) end
  ${FINISH}
  return 'done'`);

/** Replaces all items. Arguments: what the session is to be, see UNCHANGED; the items. Returns 'done' or 'changed'. */
export const REPLACE = writing(`${BEGIN}
  ${UNCHANGED}
  redis.call('UNLINK', items)
  ${push(6)}
  ${FINISH}
  return 'done'`);

/** Removes all items and operation ids of a session that is there. */
export const CLEAR = writing(`${BEGIN}
  if not created and length == 0 then return end
  ${once('')}
  redis.call('UNLINK', items, facts)
  redis.call('HSET', facts, 'created', created or now)
  if listed > 0 then redis.call('HSET', facts, 'listed', listed) end
  ${REWRITTEN}
  ${FINISH}
  -- Where that time has just come, the facts are gone with this: what is written later would stay for ever.
  if listed > 0 then redis.call('PEXPIREAT', facts, listed) end`);

/** Removes a session. Returns 1 where it was there, else 0. */
export const DELETE = writing(`${BEGIN}
  redis.call('ZCARD', expiry)
  ${answered('1')}
  local there = created or length > 0
  if there then
    ${once('1')}
  end
  redis.call('UNLINK', items, facts)
  redis.call('ZREM', sessions, id)
  redis.call('ZREM', expiry, id)
  ${SETTLE}
  return there and 1 or 0`);

/** Has the TTL of a session that is there begin anew. It is no activity, and no harm when it was done unseen. */
export const TOUCH = reading(`${BEGIN}
  if not created then return end
  ${EXPIRE}`);

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
 * Arguments: the newest activity to be listed; how many. Returns the ids, each with its activity; `null` where there is
 * more to be swept before.
 */
export const LIST = reading(`
  local sessions, expiry = unpack(KEYS)
  local time = redis.call('TIME')
  local ms = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZCARD', sessions)
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
