import { reading } from '../../client/script.ts';
import { sweep } from './session-change.ts';

/** How many expired sessions one listing removes from the lists of a shard. */
const SWEPT_BY_LIST = 1_000;

/**
 * Lists the sessions of a shard, newest activity first. `KEYS` are the sessions, the expiry, the ids and the segments of the
 * shard.
 *
 * ARGV: the newest activity to list; how many sessions.
 *
 * -> the ids, each with its activity; null if more must be swept first.
 */
export const LIST_SHARD = reading(`
  local sessions, expiry, ids, segments = unpack(KEYS)
  local time = redis.call('TIME')
  local ms = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZCARD', sessions)
  ${sweep(SWEPT_BY_LIST)}
  if #swept == ${SWEPT_BY_LIST} then return nil end
  return redis.call('ZREVRANGEBYSCORE', sessions, ARGV[1], '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])`);

/** How many ids one script compares. */
export const IDS_AT_ONCE = 1_000;

/**
 * Lists the sessions of a shard whose ids begin with a text, in the order of their ids. `KEYS` are the sessions and the ids of
 * the shard.
 *
 * ARGV: the text; the id after which to go on, or ''.
 *
 * -> the ids, each with its activity, {@link IDS_AT_ONCE} or fewer at the end; null for the activity of one that is gone
 */
export const LIST_WITH_PREFIX = reading(`
  local sessions, ids = unpack(KEYS)
  local from = ARGV[2] == '' and '[' .. ARGV[1] or '(' .. ARGV[2]
  -- No byte of UTF-8 is 255.
  local found = redis.call('ZRANGEBYLEX', ids, from, '(' .. ARGV[1] .. '\\255', 'LIMIT', 0, ${IDS_AT_ONCE})
  local listed = {}
  for n, id in ipairs(found) do
    listed[2 * n - 1], listed[2 * n] = id, redis.call('ZSCORE', sessions, id)
  end
  return listed`);

/** The same for the sessions whose ids have a segment, the text. `KEYS` are the sessions and the segments of the shard. */
export const LIST_WITH_SEGMENT = reading(`
  local sessions, segments = unpack(KEYS)
  local start = ARGV[1] .. '\\0'
  local from = ARGV[2] == '' and '[' .. start or '(' .. start .. ARGV[2]
  local found = redis.call('ZRANGEBYLEX', segments, from, '(' .. ARGV[1] .. '\\1', 'LIMIT', 0, ${IDS_AT_ONCE})
  local listed = {}
  for n, text in ipairs(found) do
    local id = string.sub(text, #start + 1)
    listed[2 * n - 1], listed[2 * n] = id, redis.call('ZSCORE', sessions, id)
  end
  return listed`);

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
