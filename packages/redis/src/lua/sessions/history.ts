import { OPERATION_IDS } from '@keepsake/core/adapter';
import { reading, writing } from '../../client/script.ts';
import {
  ALLOW_WITHOUT_MEMORY,
  addRequest,
  append,
  BEGIN_CHANGE,
  EXPIRE_SESSION,
  EXPIRE_SHARD,
  FINISH_CHANGE,
  onlyOnce,
  REQUESTS_PERIOD_MS,
  removeId,
  replyIfDone,
  SESSION_ARGUMENTS,
  SET_REWRITTEN,
} from './session-change.ts';

/*
 * The scripts that change and read the history of a session. Those that change it begin as `session-change.ts` says; the
 * arguments that are listed here come after that.
 */

/** The position in `ARGV` of the first argument of a script's own. */
const OWN = SESSION_ARGUMENTS + 1;

/**
 * Appends the items that are its arguments.
 *
 * -> for how many milliseconds `APPEND_TO_LISTED` will do: until the shard must know that the session lives on.
 */
export const APPEND = writing(`${BEGIN_CHANGE}
  ${onlyOnce('0')}
  ${append(OWN)}
  ${FINISH_CHANGE}
  return expires and listed - expires or ${REQUESTS_PERIOD_MS}`);

/** The keys of `APPEND_TO_LISTED`. */
export const APPEND_KEYS = ['items', 'sessions', 'requests'] as const;

/**
 * Appends items to a session that `APPEND` has just written to. Most calls are of this kind, so it leaves out what can wait.
 * Takes `APPEND_KEYS`, and as its arguments at most `UNPACK_LIMIT` items. Each step may meet a key of another type; the steps
 * before it are then undone.
 *
 * -> 1; or 0 if only `APPEND` can do this, and nothing was changed.
 */
export const APPEND_TO_LISTED = writing(`
  local ${APPEND_KEYS.join(', ')} = unpack(KEYS)
  local idempotency_key, id, ttl = ARGV[1], ARGV[2], ARGV[3]
  ${addRequest('1')}
  local length = redis.pcall('RPUSHX', items, unpack(ARGV, ${OWN}))
  if length == 0 or type(length) == 'table' then
    redis.call('SREM', requests, idempotency_key)
    return 0
  end
  local time = redis.call('TIME')
  if type(redis.pcall('ZADD', sessions, time[1] * 1000000 + time[2], id)) == 'table' then
    redis.call('LTRIM', items, 0, ${SESSION_ARGUMENTS} - #ARGV - 1)
    redis.call('SREM', requests, idempotency_key)
    return 0
  end
  if ttl ~= '0' then redis.call('PEXPIRE', items, ttl) end
  return 1`);

/** The first element of the reply of `CHANGE_END`. */
export const END_REPLY = {
  done: 'done',
  /** The operation was done before. Followed by its digest. */
  repeated: 'repeated',
  /** The history ends with other items, which follow. Nothing was changed. */
  mismatch: 'mismatch',
} as const;

/** How many operation ids one change forgets, at most. */
const FORGOTTEN_AT_ONCE = 8;

/**
 * Lua: remembers `operation` with its `digest`, and forgets a few of the oldest ids. Ids contain no NUL, so it separates an
 * id from its time in seconds. Earlier versions wrote no time: their ids count as applied when this first runs.
 */
const REMEMBER_OPERATION = `
    local number = redis.call('HINCRBY', metadata, 'operations', 1)
    redis.call('HSET', metadata, 'operation:' .. operation, digest, 'place:' .. number, operation .. '\\0' .. time[1])
    local known = redis.call('HMGET', metadata, 'forgotten', 'undated')
    local forgotten, undated = known[1], known[2]
    if not forgotten then
      forgotten, undated = math.max(0, number - 1 - ${OPERATION_IDS.keepCount}), time[1]
      redis.call('HSET', metadata, 'forgotten', forgotten)
      if number > 1 then redis.call('HSET', metadata, 'undated', undated) end
    end
    local kept = math.max(${OPERATION_IDS.keepCount}, redis.call('LLEN', items))
    for oldest = forgotten + 1, math.min(forgotten + ${FORGOTTEN_AT_ONCE}, number - kept) do
      local stored = redis.call('HGET', metadata, 'place:' .. oldest) or ''
      local id, applied = string.match(stored, '^([^%z]*)%z?(.*)$')
      if applied == '' then applied = undated or 0 end
      if tonumber(applied) >= time[1] - ${OPERATION_IDS.keepMs / 1_000} then break end
      redis.call('HDEL', metadata, 'place:' .. oldest, 'operation:' .. id)
      redis.call('HSET', metadata, 'forgotten', oldest)
    end`;

/**
 * Changes the end of a history: replaces the items that it must end with by others.
 *
 * ARGV: an operation id or ''; its digest; how many items are expected; these; then the new items.
 *
 * -> an {@link END_REPLY}
 */
export const CHANGE_END = writing(`${BEGIN_CHANGE}
  local operation, digest, expected = ARGV[${OWN}], ARGV[${OWN + 1}], tonumber(ARGV[${OWN + 2}])
  if operation ~= '' then
    ${replyIfDone(`{ '${END_REPLY.done}' }`)}
    local known_digest = redis.call('HGET', metadata, 'operation:' .. operation)
    if known_digest then return { '${END_REPLY.repeated}', known_digest } end
  end
  if expected > 0 then
    ${replyIfDone(`{ '${END_REPLY.done}' }`)}
    -- A pop.
    if operation == '' and #ARGV == ${OWN + 2} + expected then ${ALLOW_WITHOUT_MEMORY} end
    local tail = redis.call('LRANGE', items, -expected, -1)
    local is_same = #tail == expected
    for n = 1, expected do is_same = is_same and tail[n] == ARGV[${OWN + 2} + n] end
    if not is_same then return { '${END_REPLY.mismatch}', tail } end
  end
  ${onlyOnce(`{ '${END_REPLY.done}' }`)}
  if expected > 0 then
    redis.call('LTRIM', items, 0, -1 - expected)
    ${SET_REWRITTEN}
  end
  ${append(`${OWN + 3} + expected`)}
  if operation ~= '' then
    ${REMEMBER_OPERATION}
  end
  ${FINISH_CHANGE}
  return { '${END_REPLY.done}' }`);

/** The reply of `EDIT` and `REPLACE`. `changed`: the history is no longer as it was read, and nothing was done. */
export const REWRITE_REPLY = { done: 'done', changed: 'changed' } as const;

/** Lua: goes on only if the history is as it was read. ARGV: when it was last rewritten; how many items it has. */
const EXPECT_UNCHANGED = `
  ${replyIfDone(`'${REWRITE_REPLY.done}'`)}
  if rewritten ~= ARGV[${OWN}] or length ~= tonumber(ARGV[${OWN + 1}]) then return '${REWRITE_REPLY.changed}' end
  ${onlyOnce(`'${REWRITE_REPLY.done}'`)}
  ${SET_REWRITTEN}`;

/**
 * Replaces and drops single items.
 *
 * ARGV: what `EXPECT_UNCHANGED` takes; how many items are replaced; of each of these the index and the new text; then the
 * indexes of the items to drop.
 *
 * -> a {@link REWRITE_REPLY}
 */
export const EDIT = writing(`${BEGIN_CHANGE}
  ${EXPECT_UNCHANGED}
  local first_drop = ${OWN + 3} + 2 * ARGV[${OWN + 2}]
  for n = ${OWN + 3}, first_drop - 1, 2 do redis.call('LSET', items, ARGV[n], ARGV[n + 1]) end
  -- Redis removes list items by value, so those to drop get a value that no item has.
  for n = first_drop, #ARGV do redis.call('LSET', items, ARGV[n], idempotency_key) end
  if #ARGV >= first_drop then redis.call('LREM', items, 0, idempotency_key) end
  ${FINISH_CHANGE}
  return '${REWRITE_REPLY.done}'`);

/** Replaces all items. ARGV: what `EXPECT_UNCHANGED` takes; the new items. -> a {@link REWRITE_REPLY} */
export const REPLACE = writing(`${BEGIN_CHANGE}
  ${EXPECT_UNCHANGED}
  redis.call('UNLINK', items)
  ${append(OWN + 2)}
  ${FINISH_CHANGE}
  return '${REWRITE_REPLY.done}'`);

/** Removes all items and operation ids of a session that exists. */
export const CLEAR = writing(`${BEGIN_CHANGE}
  if not created and length == 0 then return end
  ${ALLOW_WITHOUT_MEMORY}
  ${onlyOnce('')}
  redis.call('UNLINK', items, metadata)
  redis.call('HSET', metadata, 'created', created or now)
  if listed > 0 then redis.call('HSET', metadata, 'listed', listed) end
  ${SET_REWRITTEN}
  ${FINISH_CHANGE}
  -- If that time has just come, this removes the metadata. Otherwise what is written later would never expire.
  if listed > 0 then redis.call('PEXPIREAT', metadata, listed) end`);

/** Removes a session. -> 1 if it existed, or 0. */
export const DELETE = writing(`${BEGIN_CHANGE}
  redis.call('ZCARD', expiry)
  redis.call('ZCARD', ids)
  redis.call('ZCARD', segments)
  ${replyIfDone('1')}
  local exists = created or length > 0
  ${ALLOW_WITHOUT_MEMORY}
  if exists then
    ${onlyOnce('1')}
  end
  redis.call('UNLINK', items, metadata)
  redis.call('ZREM', sessions, id)
  redis.call('ZREM', expiry, id)
  ${removeId('id')}
  ${EXPIRE_SHARD}
  return exists and 1 or 0`);

/** Restarts the TTL of a session that exists. Doesn't count as activity, and may be done more than once. */
export const TOUCH = reading(`${BEGIN_CHANGE}
  if not created then return end
  ${ALLOW_WITHOUT_MEMORY}
  ${EXPIRE_SESSION}`);

/** Reads the newest items. `KEYS` are the items. ARGV: how many. -> how many there are in all, and the items. */
export const READ_END = reading(`
  return { redis.call('LLEN', KEYS[1]), redis.call('LRANGE', KEYS[1], -ARGV[1], -1) }`);

/**
 * Reads a history in pieces. `KEYS` are its items and metadata.
 *
 * ARGV: when it was last rewritten, as the piece before said; from which index on; how many items. If it was rewritten since,
 * reads from the beginning.
 *
 * -> when it was last rewritten, how many items there are in all, and the items
 */
export const READ_PIECE = reading(`
  local rewritten = redis.call('HGET', KEYS[2], 'rewritten') or ''
  local from = rewritten == ARGV[1] and tonumber(ARGV[2]) or 0
  return { rewritten, redis.call('LLEN', KEYS[1]), redis.call('LRANGE', KEYS[1], from, from + ARGV[3] - 1) }`);
