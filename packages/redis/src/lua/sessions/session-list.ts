import { reading } from '../../client/script.ts';
import { sweep } from './session-change.ts';

/** How many expired sessions one listing removes from the lists of a shard. */
const SWEPT_BY_LIST = 1_000;

/**
 * Lists the sessions of a shard, newest activity first. `KEYS` are the sessions and the expiry of the shard.
 *
 * ARGV: the newest activity to list; how many sessions.
 *
 * -> the ids, each with its activity; null if more must be swept first.
 */
export const LIST_SHARD = reading(`
  local sessions, expiry = unpack(KEYS)
  local time = redis.call('TIME')
  local ms = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZCARD', sessions)
  ${sweep(SWEPT_BY_LIST)}
  if #swept == ${SWEPT_BY_LIST} then return nil end
  return redis.call('ZREVRANGEBYSCORE', sessions, ARGV[1], '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])`);

/** What `DESCRIBE` replies for a session: its last activity, when it was created, and how many items it has. */
export type Description = [activity: string, created: string, itemCount: number];

/**
 * Describes sessions of one shard. `KEYS` are the sessions of the shard, then the metadata and the items of each session; the
 * arguments are the ids.
 *
 * -> a {@link Description} for each session, null for one that is gone.
 */
export const DESCRIBE = reading(`
  local described = {}
  for n, id in ipairs(ARGV) do
    local created = redis.call('HGET', KEYS[2 * n], 'created')
    local activity = redis.call('ZSCORE', KEYS[1], id)
    described[n] = created and activity and { activity, created, redis.call('LLEN', KEYS[2 * n + 1]) }
  end
  return described`);
