import { writing } from '../../client/script.ts';
import { DOCUMENT_INDEX_LUA, EMPTY_TTL_MS } from './document-index.ts';
import { STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA, RECORD_KEYS } from './namespace-keys.ts';
import { COUNT_LUA } from './read-records.ts';
import { REPLY } from './replies.ts';
import { STAGED_BATCH_LUA } from './staged-batch.ts';

/** How long the gate of a namespace that was emptied is kept, and how long a gate that was read can be used. */
const GATE_TTL_MS = 60_000;
export const GATE_VALID_MS = 50_000;

/**
 * Removes records.
 *
 * ARGV: an idempotency key; the analysis of the texts; then for each record: its id; its version and document; the record as
 * a document.
 *
 * -> a {@link REPLY}: `done` with how many existed in that version and were removed, also if the change was sent again; or
 *    `otherAnalysis`, `busy` or `abandoned`.
 */
export const REMOVE = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}
local idempotency_key = take()
local done = redis.call('HGET', REQUESTS, idempotency_key)
if done then return { '${REPLY.done}', tonumber(done) } end
local analysis = take()
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local refused = refused_by_committed()
if refused then return refused end
local failure = key_error(true)
if failure then return failure end

local staged = read_staged()
local removed = 0
while has_arguments() do
  local id, guard = take(), take()
  local document = take_document()
  local number, inline = find_record(id)
  local version = inline and read_header(inline).version
  if version and string.format('%.0f %.0f', version, number) == guard then
    -- First what only frees memory: a server without free memory rejects a script whose first write may take more.
    redis.call('ZREM', EXPIRY, number)
    set_vector(number, '')
    remove_document(number, document)
    drop_record(id)
    if staged and redis.call('HDEL', PENDING, number) == 1 then
      staged.phase = 'broken'
      write_staged(staged)
    end
    removed = removed + 1
  end
end
if removed > 0 then
  set_stat('${STAT.records}', stat('${STAT.records}') - removed)
  advance_first_document()
  finish_change()
  remember_reply(idempotency_key, removed)
end
return { '${REPLY.done}', removed }
`);

/**
 * Removes all records and changes the gate; see `registry.ts`. The number of the next document stays for an hour: whoever read
 * a record before must not take one that is put now for it.
 *
 * ARGV: an idempotency key; '1' to empty only a namespace without records.
 *
 * -> how many records there were, also if the change was sent again; null if the namespace keeps its records.
 */
export const EMPTY = writing(`${NAMESPACE_KEYS_LUA}${COUNT_LUA}
local idempotency_key, only_if_empty = ARGV[1], ARGV[2] == '1'
local previous_key, previous_count = string.match(redis.call('GET', GATE) or '', '^(%S+) (%S+)')
if previous_key == idempotency_key then return tonumber(previous_count) end
local count = count_records()
if only_if_empty and (count > 0 or redis.call('HEXISTS', STATS, '${STAT.staged}') == 1) then return false end
local next_document = redis.call('HGET', STATS, '${STAT.nextDocument}')
redis.call('UNLINK', ${RECORD_KEYS}, STATS)
if next_document then
  redis.call('HSET', STATS, '${STAT.nextDocument}', next_document, '${STAT.firstDocument}', next_document)
  redis.call('PEXPIRE', STATS, ${EMPTY_TTL_MS})
end
redis.call('SET', GATE, string.format('%s %.0f %.0f', idempotency_key, count, micros), 'PX', ${GATE_TTL_MS})
return count
`);
