import { reading } from '../../client/script.ts';
import { STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA } from './namespace-keys.ts';

/*
 * `vectors`    The field of a document holds its vector; see `vector-replica.ts`.
 *
 * `vectorLog`  The documents by the number of the last change of their vectors, counted from 1. A document that lost its
 *              vector has a tombstone: its number is negative, so that replicas of the vectors drop it, too.
 */

/** The log keeps as many tombstones as there are vectors, and at least this many more. */
const EXTRA_TOMBSTONES = 100;
const MAX_TOMBSTONES = 10_000;

/**
 * Lua: changes vectors.
 *
 * - `set_vector(document, vector)` writes `VECTORS`, `VECTOR_LOG` and a number in `STATS`. '' removes the vector, if there is
 *   one.
 * - `trim_vector_log()` removes the oldest tombstones if any were added. A replica that missed one of them notices by the
 *   number of vectors.
 */
export const VECTOR_CHANGES_LUA = `
local has_new_tombstones = false
local function set_vector(document, vector)
  if vector ~= '' then
    redis.call('HSET', VECTORS, document, vector)
    redis.call('ZADD', VECTOR_LOG, redis.call('HINCRBY', STATS, '${STAT.vectors}', 1), document)
    return
  end
  local logged = redis.call('ZSCORE', VECTOR_LOG, document)
  if not logged or tonumber(logged) < 0 then return end
  redis.call('HDEL', VECTORS, document)
  redis.call('ZADD', VECTOR_LOG, -redis.call('HINCRBY', STATS, '${STAT.vectors}', 1), document)
  has_new_tombstones = true
end

local function trim_vector_log()
  if not has_new_tombstones then return end
  local tombstones = redis.call('ZCOUNT', VECTOR_LOG, '-inf', '(0')
  local kept = math.min(${MAX_TOMBSTONES}, redis.call('ZCARD', VECTOR_LOG) - tombstones + ${EXTRA_TOMBSTONES})
  if tombstones > kept then redis.call('ZREMRANGEBYRANK', VECTOR_LOG, kept, tombstones - 1) end
end
`;

/** The reply of `VECTORS`, before the documents and their vectors. */
export type VectorsReply = [
  /** When the namespace was created. */
  created: Buffer,
  /** The number of the last change in this reply. */
  last: number,
  /** The number of the newest change. */
  newest: number,
  /** How many documents have a vector. */
  count: number,
  /** Documents that changed, each with its vector, or with null if it lost its vector. */
  ...changes: (number | Buffer | null)[],
];

/**
 * Reads the changes of vectors after one of them, in their order.
 *
 * ARGV: when the namespace was created, as the reply before said; the last change that was read; how many vectors to read.
 *
 * -> {@link VectorsReply}. If the namespace was created since, all vectors. Old tombstones may be missing, which shows in
 *    `count`.
 */
export const VECTORS = reading(`${NAMESPACE_KEYS_LUA}
local stats = redis.call('HMGET', STATS, '${STAT.created}', '${STAT.vectors}')
local created, newest, after = stats[1] or '', tonumber(stats[2] or 0), tonumber(ARGV[2])
if created ~= ARGV[1] then after = 0 end
local reply = { created, newest, newest, redis.call('ZCOUNT', VECTOR_LOG, '(0', '+inf') }
if newest <= after then return reply end
local set = redis.call('ZRANGEBYSCORE', VECTOR_LOG, after + 1, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
if #set == 2 * ARGV[3] then reply[2] = tonumber(set[#set]) end
for n = 1, #set, 2 do
  reply[#reply + 1] = tonumber(set[n])
  reply[#reply + 1] = redis.call('HGET', VECTORS, set[n])
end
local removed = after > 0 and redis.call('ZRANGEBYSCORE', VECTOR_LOG, -reply[2], -after - 1) or {}
for _, document in ipairs(removed) do
  reply[#reply + 1] = tonumber(document)
  reply[#reply + 1] = false
end
return reply
`);
