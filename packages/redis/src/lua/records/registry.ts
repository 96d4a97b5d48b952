import { reading, writing } from '../../client/script.ts';

/*
 * The scripts of the registry. `KEYS` are the paths of the namespaces and their registrations; see `registryKeys`.
 */

/** Registers a namespace. ARGV: its path; the id of the registration. Writes both keys. -> 1 */
export const REGISTER = writing(`
local PATHS, REGISTRATIONS = unpack(KEYS)
redis.call('HLEN', REGISTRATIONS)
redis.call('ZADD', PATHS, 0, ARGV[1])
redis.call('HSET', REGISTRATIONS, ARGV[1], ARGV[2])
return 1
`);

/** Reads the registration of a path, the only argument. -> its id, or null. */
export const REGISTRATION = reading(`return redis.call('HGET', KEYS[2], ARGV[1])`);

/** Removes a path if it still has a registration. ARGV: the path; the id of the registration. -> 1 if it was removed, or 0. */
export const UNREGISTER = writing(`
local PATHS, REGISTRATIONS = unpack(KEYS)
redis.call('ZCARD', PATHS)
if redis.call('HGET', REGISTRATIONS, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', REGISTRATIONS, ARGV[1])
return redis.call('ZREM', PATHS, ARGV[1])
`);

/** Lists paths in their order. ARGV: two ends of a range, as `ZRANGEBYLEX` takes them; how many at most. -> the paths. */
export const LIST_PATHS = reading(`return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])`);
