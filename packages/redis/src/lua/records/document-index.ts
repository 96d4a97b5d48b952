import { ARGUMENTS_LUA } from '../arguments.ts';
import { HASH_BATCHES_LUA } from '../hash-batches.ts';
import { FIELD_INDEX_LUA } from './field-index.ts';
import { INDEX_STATS_LUA, LANGUAGE_STAT, STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA, RECORD_KEYS } from './namespace-keys.ts';
import { POSTING_CHANGES_LUA } from './posting-changes.ts';
import { POSTINGS_LUA } from './postings.ts';
import { SPEAKERS_LUA } from './speakers.ts';
import { RECORD_CHANGES_LUA, STORED_RECORDS_LUA } from './stored-records.ts';
import { THREAD_CHANGES_LUA, THREADS_LUA } from './threads.ts';
import { VECTOR_CHANGES_LUA } from './vectors.ts';

/** The idempotency keys of a period have a key of Redis. Periods are short, so that none is long to free when it expires. */
export const REQUESTS_PERIOD_MS = 10_000;

/** How long Redis remembers the idempotency keys of a period. */
const REQUESTS_TTL_MS = 60_000;

/**
 * An empty namespace keeps its statistics this long: records may well come again, and must not get the number of one that
 * somebody still reads or replaces.
 */
export const EMPTY_TTL_MS = 3_600_000;

/**
 * A namespace whose records all expire is removed this long after the last of them. Then the numbers of documents begin again,
 * so nobody must still work with one that was read before.
 */
const EXPIRY_DELAY_MS = 60_000;

/** How many documents one script looks at to find the first record. */
const FIRST_DOCUMENT_STEP = 1_000;

/**
 * Lua: adds documents to the index and removes them.
 *
 * - `take_document()` reads the arguments that `describeDocument` wrote.
 * - `add_document(number, document, record)` and `remove_document(number, document)` read what they change, and collect the
 *   changes. A document that is not indexed changes only the index of values. Removal must come before the record that is
 *   stored changes.
 */
const DOCUMENTS_LUA = `
local function take_document()
  local document = { indexed = take() == '1', language = take(), length = take_number() }
  document.terms, document.weights = take(), take()
  document.thread, document.index, document.text_flags = take(), take_number(), take_number()
  document.speaker, document.aliases = take(), take()
  return document
end

-- Scripts that stage set it to the prefix of statistics that don't count yet.
local stat_prefix = ''
local function count_document(document, by)
  add_to_stat(stat_prefix .. '${STAT.documents}', by)
  add_to_stat(stat_prefix .. '${STAT.length}', by * document.length)
  add_to_stat(stat_prefix .. '${STAT.squares}', by * document.length * document.length)
  add_to_stat(stat_prefix .. '${LANGUAGE_STAT}' .. document.language, by)
end

-- The documents that this script added.
local new_documents = {}

local function add_document(number, document, record)
  new_documents[number] = true
  add_values(number, record)
  if not document.indexed then return end
  local key = struct.pack('>I4', number)
  local at = 0
  for term in string.gmatch(document.terms, '%Z+') do
    at = at + 1
    add_posting(term, key .. string.sub(document.weights, at, at))
  end
  local speaker = 0
  if document.speaker ~= '' then speaker = count_turns(document.speaker, document.aliases, 1) end
  if document.thread ~= '' then
    add_turn(document.thread, document.index, key, document.text_flags, speaker, record.created)
  end
  count_document(document, 1)
end

local function remove_document(number, document)
  drop_values(number, new_documents[number])
  if not document.indexed then return end
  local key = struct.pack('>I4', number)
  local at = 0
  for term in string.gmatch(document.terms, '%Z+') do
    at = at + 1
    drop_posting(term, key .. string.sub(document.weights, at, at), new_documents[number])
  end
  if document.thread ~= '' then drop_turn(document.thread, document.index, key) end
  if document.speaker ~= '' then count_turns(document.speaker, document.aliases, -1) end
  count_document(document, -1)
end
`;

/**
 * Lua: what scripts that change records begin and end with.
 *
 * - `key_error(changes_vectors)` returns an error reply if a key is missing or holds something else. Scripts don't roll back,
 *   so they must find every error before they change anything. Reads all keys; those of vectors only if they change.
 * - `remember_reply(idempotency_key, reply)` writes `REQUESTS`.
 * - `finish_change()` writes all that was collected. A namespace without records loses all keys but `STATS`; if all of its
 *   records expire, its keys do, too.
 */
const CHANGES_LUA = `
local function key_error(changes_vectors)
  local has_records = stat('${STAT.records}') > 0 or (stats['${STAT.staged}'] or '') ~= ''
  local has_record_key, has_id_key = redis.call('HLEN', RECORDS) > 0, redis.call('HLEN', IDS) > 0
  for _, key in ipairs({ TERMS, THREADS, SPEAKERS }) do redis.call('HLEN', key) end
  redis.call('ZCARD', EXPIRY)
  redis.call('HLEN', PENDING)
  if changes_vectors then
    redis.call('HLEN', VECTORS)
    redis.call('ZCARD', VECTOR_LOG)
  end
  if has_records == has_record_key and has_record_key == has_id_key then return nil end
  return redis.error_reply('CORRUPT a key of the namespace is gone')
end

local function remember_reply(idempotency_key, reply)
  redis.call('HSET', REQUESTS, idempotency_key, reply)
  if redis.call('HLEN', REQUESTS) == 1 then redis.call('PEXPIRE', REQUESTS, ${REQUESTS_TTL_MS + REQUESTS_PERIOD_MS}) end
end

-- Lists from the oldest record on begin at the first document.
local function advance_first_document()
  local first = stat('${STAT.firstDocument}')
  local last = math.min(stat('${STAT.nextDocument}'), first + ${FIRST_DOCUMENT_STEP})
  while first < last and not inline_of(first) do first = first + 1 end
  set_stat('${STAT.firstDocument}', first)
end

local function expire_or_persist(records)
  local keys = { ${RECORD_KEYS}, STATS }
  if redis.call('ZCARD', EXPIRY) == records then
    local last = redis.call('ZREVRANGE', EXPIRY, 0, 0, 'WITHSCORES')[2]
    -- Later than now: a key that expires between these calls would be removed before the others.
    local time = redis.call('TIME')
    local at = math.max(last, time[1] * 1000 + math.floor(time[2] / 1000)) + ${EXPIRY_DELAY_MS}
    for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, string.format('%.0f', at)) end
  elseif redis.call('PTTL', STATS) >= 0 then
    for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  end
end

local function write_changes()
  apply_records()
  apply_postings()
  apply_turns()
  apply_speakers()
  trim_vector_log()
end

local function finish_change()
  write_changes()
  -- The keys must stay until the batch is committed or discarded.
  if (stats['${STAT.staged}'] or '') ~= '' then return write_stats() end
  local records = stat('${STAT.records}')
  if records > 0 then
    write_stats()
    return expire_or_persist(records)
  end
  set_stat('${STAT.firstDocument}', stat('${STAT.nextDocument}'))
  set_stat('${STAT.analysis}', '')
  set_stat('${STAT.records}', '')
  write_stats()
  redis.call('UNLINK', ${RECORD_KEYS})
  redis.call('PEXPIRE', STATS, ${EMPTY_TTL_MS})
end
`;

/** Lua: all that scripts need that put and remove records; see its parts. */
export const DOCUMENT_INDEX_LUA = [
  NAMESPACE_KEYS_LUA,
  ARGUMENTS_LUA,
  HASH_BATCHES_LUA,
  INDEX_STATS_LUA,
  STORED_RECORDS_LUA,
  RECORD_CHANGES_LUA,
  POSTINGS_LUA,
  POSTING_CHANGES_LUA,
  THREADS_LUA,
  THREAD_CHANGES_LUA,
  SPEAKERS_LUA,
  VECTOR_CHANGES_LUA,
  FIELD_INDEX_LUA,
  DOCUMENTS_LUA,
  CHANGES_LUA,
].join('');
