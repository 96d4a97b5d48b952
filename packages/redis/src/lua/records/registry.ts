import { reading, writing } from '../../client/script.ts';

/*
 * The scripts of the registry. `KEYS` are the paths of the namespaces, their registrations and their segments; see
 * `registryKeys`.
 */

/** Registers a namespace. ARGV: its path; the id of the registration. Writes all keys. -> 1 */
export const REGISTER = writing(`
local PATHS, REGISTRATIONS, SEGMENTS = unpack(KEYS)
redis.call('HLEN', REGISTRATIONS)
redis.call('ZCARD', SEGMENTS)
redis.call('ZADD', PATHS, 0, ARGV[1])
redis.call('HSET', REGISTRATIONS, ARGV[1], ARGV[2])
for segment in string.gmatch(ARGV[1], '[^/]+') do
  redis.call('ZADD', SEGMENTS, 0, segment .. ' ' .. ARGV[1])
end
return 1
`);

/** Reads the registration of a path, the only argument. -> its id, or null. */
export const REGISTRATION = reading(`return redis.call('HGET', KEYS[2], ARGV[1])`);

/** Removes a path if it still has a registration. ARGV: the path; the id of the registration. -> 1 if it was removed, or 0. */
export const UNREGISTER = writing(`
local PATHS, REGISTRATIONS, SEGMENTS = unpack(KEYS)
redis.call('ZCARD', PATHS)
redis.call('ZCARD', SEGMENTS)
if redis.call('HGET', REGISTRATIONS, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', REGISTRATIONS, ARGV[1])
for segment in string.gmatch(ARGV[1], '[^/]+') do
  redis.call('ZREM', SEGMENTS, segment .. ' ' .. ARGV[1])
end
return redis.call('ZREM', PATHS, ARGV[1])
`);

/**
 * Lists a sorted set in the order of its texts. `KEYS` is the set. ARGV: two ends of a range, as `ZRANGEBYLEX` takes them; how
 * many at most. -> the texts.
 */
export const LIST_TEXTS = reading(`return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])`);
