import { UNPACK_LIMIT } from '../../client/script.ts';

/*
 * What scripts that change a session are made of.
 *
 * They take `SESSION_KEYS`, then as arguments an idempotency key, the session id, and the TTL in milliseconds, or 0 to leave
 * it as it is. All reads come first: they fail on keys that hold something else, and a script can't take back what it wrote.
 * When a link breaks, ioredis sends an unanswered command again. Its idempotency key is the same, so the script changes
 * nothing and replies as it did before.
 */

/** The keys of a script that changes a session, in their order: properties of `SessionKeys`, and locals in Lua. */
export const SESSION_KEYS = ['items', 'metadata', 'sessions', 'expiry', 'ids', 'segments', 'requests'] as const;

/** How many arguments come before those of a script's own. */
export const SESSION_ARGUMENTS = 3;

/** The idempotency keys of a period have a key of Redis. Periods are short, so that none is long to free when it expires. */
export const REQUESTS_PERIOD_MS = 20_000;

/** How long Redis remembers the idempotency keys of a period. */
const REQUESTS_TTL_MS = 5 * 60_000;

/** How many expired sessions of a shard one write removes from its lists, at most. */
const SWEPT_BY_WRITE = 20;

/** The lists of a shard keep a session that expires up to this part of its TTL longer, so that few changes update them. */
const LISTED_SHARE = 64;

/**
 * Lua: reads what every change needs.
 *
 * - Reads all keys but `requests`.
 * - `created` and `rewritten` are when the session was created and when it last changed otherwise than by an append.
 *   `rewritten` always rises, even if the clock goes back, so it serves as an optimistic lock.
 * - `length` is the number of items. `now` and `ms` are the time in microseconds and milliseconds.
 * - `expires` is when the items must expire. `listed` is when the rest does, as the shard knows: a little later, so that not
 *   every change has to move it. `relist` tells whether this one has to.
 */
export const BEGIN_CHANGE = `
  local ${SESSION_KEYS.join(', ')} = unpack(KEYS)
  local idempotency_key, id, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local stored = redis.call('HMGET', metadata, 'created', 'rewritten', 'listed')
  local created, rewritten, listed = stored[1], stored[2] or '', tonumber(stored[3] or 0)
  local length = redis.call('LLEN', items)
  redis.call('ZCARD', sessions)
  local time = redis.call('TIME')
  local now, ms = time[1] * 1000000 + time[2], time[1] * 1000 + math.floor(time[2] / 1000)
  local expires
  if ttl > 0 then
    expires = ms + ttl
  elseif listed > 0 then
    expires = listed
  end
  local relist = not created or ttl > 0 and expires > listed
  if relist then
    redis.call('ZCARD', expiry)
    redis.call('ZCARD', ids)
    redis.call('ZCARD', segments)
  end`;

/**
 * Lua: adds the idempotency key to `requests`. Returns `reply` if it was there, even on a server that no longer takes
 * writes: it may have taken this one the first time.
 */
export const addRequest = (reply: string) => `
  local added = redis.pcall('SADD', requests, idempotency_key)
  if type(added) == 'table' and redis.call('SISMEMBER', requests, idempotency_key) == 0 then return added end
  if added ~= 1 then return ${reply} end`;

/** Lua: returns `reply` if the change was made before. It writes, so everything that reads or refuses must come first. */
export const onlyOnce = (reply: string) => `${addRequest(reply)}
  if redis.call('PTTL', requests) < 0 then redis.call('PEXPIRE', requests, ${REQUESTS_TTL_MS + REQUESTS_PERIOD_MS}) end`;

/**
 * Lua: lets a script write on a server without free memory. Redis rejects a command that may take memory, unless the script
 * has called one that writes and never takes any. This one does nothing. (Script flags would need Redis 7.)
 */
export const ALLOW_WITHOUT_MEMORY = `
  redis.pcall('SREM', requests, '')`;

/** Lua: returns `reply` if the change was made before. For scripts that read what they have changed, and may refuse. */
export const replyIfDone = (reply: string) => `
  if redis.call('SISMEMBER', requests, idempotency_key) == 1 then return ${reply} end`;

/** Lua: appends the arguments from the one at `first` on to `items`. */
export const append = (first: string | number) => `
  for from = ${first}, #ARGV, ${UNPACK_LIMIT} do
    redis.call('RPUSH', items, unpack(ARGV, from, math.min(from + ${UNPACK_LIMIT - 1}, #ARGV)))
  end`;

/** Lua: notes in `metadata` that the session changed otherwise than by an append. */
export const SET_REWRITTEN = `
  redis.call('HSET', metadata, 'rewritten', math.max(now, (tonumber(rewritten) or 0) + 1))`;

/** Lua: runs a command with each segment of an id. */
const eachSegment = (command: string, id: string) => `
    for segment in string.gmatch(${id}, '[^:]+') do
      redis.call(${command}, segment .. '\\0' .. ${id})
    end`;

/** Lua: adds the session to the ids of the shard. */
const ADD_ID = `
    redis.call('ZADD', ids, 0, id)
    ${eachSegment("'ZADD', segments, 0", 'id')}`;

/** Lua: removes an id from the ids of the shard. */
export const removeId = (id: string) => `
    redis.call('ZREM', ids, ${id})
    ${eachSegment("'ZREM', segments", id)}`;

/** Lua: removes expired sessions from the lists of the shard, at most `limit`. Leaves their ids in `swept`. */
export const sweep = (limit: number) => `
  local swept = redis.call('ZRANGEBYSCORE', expiry, '-inf', string.format('(%.0f', ms), 'LIMIT', 0, ${limit})
  if #swept > 0 then
    redis.call('ZREM', sessions, unpack(swept))
    redis.call('ZREM', expiry, unpack(swept))
    for _, one in ipairs(swept) do
      ${removeId('one')}
    end
  end`;

/** Lua: makes the lists of the shard expire with its last session, if all of its sessions expire. */
export const EXPIRE_SHARD = `
  if redis.call('ZCARD', sessions) > redis.call('ZCARD', expiry) then
    redis.call('PERSIST', sessions)
    redis.call('PERSIST', expiry)
    redis.call('PERSIST', ids)
    redis.call('PERSIST', segments)
  else
    local latest = redis.call('ZREVRANGE', expiry, 0, 0, 'WITHSCORES')[2]
    if latest then
      redis.call('PEXPIREAT', sessions, latest)
      redis.call('PEXPIREAT', expiry, latest)
      redis.call('PEXPIREAT', ids, latest)
      redis.call('PEXPIREAT', segments, latest)
    end
  end`;

/** Lua: sets when the session expires, also on a list that was emptied and filled again and so lost its TTL. */
export const EXPIRE_SESSION = `
  if expires then redis.call('PEXPIREAT', items, expires) end
  if relist then
    if ttl > 0 then
      listed = expires + math.ceil(ttl / ${LISTED_SHARE})
      redis.call('HSET', metadata, 'listed', listed)
      redis.call('PEXPIREAT', metadata, listed)
      redis.call('ZADD', expiry, listed, id)
    else
      redis.call('ZREM', expiry, id)
    end
    ${sweep(SWEPT_BY_WRITE)}
    ${EXPIRE_SHARD}
  end`;

/** Lua: notes that the session exists and has changed, and sets when it expires. */
export const FINISH_CHANGE = `
  if not created then
    redis.call('HSET', metadata, 'created', now, 'rewritten', now)
    ${ADD_ID}
  end
  redis.call('ZADD', sessions, now, id)
  ${EXPIRE_SESSION}`;
