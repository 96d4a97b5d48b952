import { STAT } from './index-stats.ts';
import { REPLY } from './replies.ts';

/*
 * A large batch is put in slices, so that no script takes long, and yet all or none of it, in three phases.
 *
 * `staging`    The slices write new records under the numbers after those of all documents, which no other script sees, and
 *              the statistics do not count them. What replaces a record goes to `pending`, and so do vectors and expiries,
 *              which others would see.
 *
 * `committed`  One short script raises the number of the next document, and from then on `pending` counts: all of the batch
 *              is visible at once. In slices, `pending` is put in its place in the index. Reads of records look there first;
 *              searches and changes wait. Any process can do this, so nothing is lost if the first one stops.
 *
 * `broken`     A record that the batch replaces was removed meanwhile. The batch cannot be committed, and is staged again.
 *
 * Only one batch is staged at a time, and nobody else puts records meanwhile. `staged` in the statistics has its token, its
 * phase, its first document, the document after its last, how many of its records are staged, and until when its process must
 * go on. After that, whoever waits for it finishes the batch if it is committed, or else discards it, in slices too.
 */

/** How long a process has for each slice, before others take over. */
const PATIENCE_MS = { staging: 10_000, committed: 2_000 } as const;

/**
 * Lua: reads and writes the entry of the staged batch. Needs `INDEX_STATS_LUA`.
 *
 * - `read_staged()` returns the entry, or nil. `set_staged(entry)` collects a change, and gives the process more time.
 * - `refused_by_staged(own_token)` returns the reply `busy` or `abandoned` if a batch of another token is there.
 * - `refused_by_committed()` does so if a batch is committed.
 */
export const STAGED_BATCH_LUA = `
local function read_staged()
  local token, phase, first, after, done, until_ms =
    string.match(stats['${STAT.staged}'] or '', '^(%S+) (%S+) (%d+) (%d+) (%d+) (%d+)$')
  return token and {
    token = token, phase = phase, first = tonumber(first), after = tonumber(after), done = tonumber(done),
    until_ms = tonumber(until_ms),
  }
end

local function write_staged(staged)
  set_stat('${STAT.staged}', string.format('%s %s %.0f %.0f %.0f %.0f',
    staged.token, staged.phase, staged.first, staged.after, staged.done, staged.until_ms))
end

local function set_staged(staged)
  staged.until_ms = now + (staged.phase == 'committed' and ${PATIENCE_MS.committed} or ${PATIENCE_MS.staging})
  write_staged(staged)
end

local function refusal_by(staged)
  return { staged.until_ms >= now and '${REPLY.busy}' or '${REPLY.abandoned}' }
end

local function refused_by_staged(own_token)
  local staged = read_staged()
  return staged and staged.token ~= own_token and refusal_by(staged) or nil
end

local function refused_by_committed()
  local staged = read_staged()
  return staged and staged.phase == 'committed' and refusal_by(staged) or nil
end
`;

/**
 * Lua: what is pending for a document: when it expires, 0 for never; its vector, '' for none; and what replaces its record,
 * '' for a new record, which is in its place already.
 */
export const PENDING_LUA = `
local function pack_pending(expires, vector, record)
  return struct.pack('>dI4', expires, #vector) .. vector .. record
end

local function unpack_pending(pending)
  local expires, size, at = struct.unpack('>dI4', pending)
  return expires, string.sub(pending, at, at + size - 1), string.sub(pending, at + size)
end
`;
