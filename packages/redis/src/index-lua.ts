import { CHANGES_LUA } from './postings-lua.ts';

/*
 * What scripts do to the index of a namespace.
 *
 * facts     next, base    the number of the next document, and that of the first in the order
 *           born          when the namespace came into being, in microseconds since 1970
 *           registered    when the registry was last told of the namespace, in milliseconds since 1970
 *           analysis      by what its texts were analysed
 *           docs, length  how many documents are found, and how many terms they have
 *           turns         how many of them are turns
 *           speaker       the number of the newest speaker
 *           in:LANGUAGE   how many documents are in a language
 *           vectors       the number of the newest vector
 *
 * terms     see `postings-lua.ts`
 *
 * threads   a thread, NUL and a number: 128 places of a thread, with 27 bytes for each turn that is there: its index in the
 *           thread (8), its document (4), what it is (1: asks 1, speaks of a time 2), its speaker (4, 0 for none), when it
 *           was said in milliseconds since 1970 (8), 2 that are free.
 *
 * speakers  a name: its number, how many turns are its, and what it is called by, as JSON.
 */

/** Marks are kept for a period at least, and two at most. */
export const MARKS_PERIOD_MS = 60_000;

/** Names the keys of a namespace, and reads the time. They are to be passed in this order. */
export const KEYS_LUA = `
local RECORDS, ORDER, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG, GATE, MARKS = unpack(KEYS)
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)

-- The first line of a stored record, as a list; see \`stored-record.ts\`.
local function read_head(stored)
  local fields = cjson.decode(string.match(stored, '^[^\\n]*'))
  fields[3], fields[4], fields[5] = fields[3] or 1, fields[4] or 0, fields[5] or 0
  return fields
end

-- The same; nil where there is no record, or no more.
local function head(stored)
  if not stored then return nil end
  local fields = read_head(stored)
  if fields[5] > 0 and fields[5] <= now then return nil end
  return fields
end
`;

/** Changes postings, the places of a thread, and the speakers. */
export const INDEX_LUA = `${CHANGES_LUA}
local PLACE, SPAN = 27, 128

-- What is counted is written down at the end: a batch changes the same few counts again and again.
local counts = {}
local function count(field, by)
  counts[field] = (counts[field] or 0) + by
end

local function write_counts()
  for field, by in pairs(counts) do
    if by ~= 0 and redis.call('HINCRBY', FACTS, field, by) == 0 then redis.call('HDEL', FACTS, field) end
  end
end

local function span_of(thread, index)
  return thread .. '\\0' .. string.format('%.0f', math.floor(index / SPAN))
end

-- The places of threads and the speakers that a script changes are read once, and written at its end.
local places_of, speakers = {}, {}

local function read_places(field)
  if not places_of[field] then places_of[field] = redis.call('HGET', THREADS, field) or '' end
  return places_of[field]
end

local function drop_turn(thread, index, key)
  local field = span_of(thread, index)
  local places = read_places(field)
  for at = 1, #places, PLACE do
    if string.sub(places, at + 8, at + 11) == key then
      places_of[field] = string.sub(places, 1, at - 1) .. string.sub(places, at + PLACE)
      return
    end
  end
end

local function add_turn(thread, index, key, what, speaker, time)
  local field = span_of(thread, index)
  local places = read_places(field)
  -- After all of no higher index: turns mostly come in order.
  local at = #places + 1
  while at > 1 and struct.unpack('>d', places, at - PLACE) > index do at = at - PLACE end
  local place = struct.pack('>d', index) .. key .. struct.pack('>BI4dH', what, speaker, time, 0)
  if at > #places then places_of[field] = places .. place
  else places_of[field] = string.sub(places, 1, at - 1) .. place .. string.sub(places, at) end
end

-- Changes how many turns a speaker has, and gives the speaker's number. \`called\` is JSON.
local function count_speaker(name, called, by)
  local speaker = speakers[name]
  if not speaker then
    local known = redis.call('HGET', SPEAKERS, name)
    local fields = known and cjson.decode(known) or { redis.call('HINCRBY', FACTS, 'speaker', 1), 0 }
    speaker = { number = fields[1], turns = fields[2] }
    speakers[name] = speaker
  end
  speaker.turns, speaker.called = speaker.turns + by, called
  return speaker.number
end

local function set_or_drop(key, field, value)
  if value == '' then redis.call('HDEL', key, field) else redis.call('HSET', key, field, value) end
end

local function apply_changes()
  apply_postings()
  for field, places in pairs(places_of) do set_or_drop(THREADS, field, places) end
  for name, speaker in pairs(speakers) do
    local called = speaker.called == '' and '' or ',' .. speaker.called
    set_or_drop(SPEAKERS, name, speaker.turns > 0 and '[' .. speaker.number .. ',' .. speaker.turns .. called .. ']' or '')
  end
end
`;

/** Reads what \`describeDocument\` wrote, and takes documents into the index and out of it. */
export const DOCUMENTS_LUA = `
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end

-- Nothing rolls back: what a script can't work with it has to find before it changes anything.
local function problem()
  local facts = redis.call('HMGET', FACTS, 'next', 'base')
  local records, places = redis.call('HLEN', RECORDS), redis.call('LLEN', ORDER)
  for _, key in ipairs({ TERMS, THREADS, SPEAKERS, VECTORS }) do redis.call('HLEN', key) end
  for _, key in ipairs({ EXPIRY, VECTOR_LOG }) do redis.call('ZCARD', key) end
  if (facts[1] or 0) - (facts[2] or 0) == places and (records == 0) == (places == 0) then return nil end
  return redis.error_reply('CORRUPT a key of the namespace is gone')
end

local function take_document()
  local document = { found = take() == '1', language = take(), length = tonumber(take()), terms = take(), weights = take() }
  document.thread, document.index, document.what = take(), tonumber(take()), tonumber(take())
  document.speaker, document.called = take(), take()
  return document
end

local function count_document(document, by)
  count('docs', by)
  count('length', by * document.length)
  count('in:' .. document.language, by)
  if document.thread ~= '' then count('turns', by) end
end

local came = {}

local function unindex(number, document)
  if not document.found then return end
  local key = struct.pack('>I4', number)
  for term in string.gmatch(document.terms, '%Z+') do drop_posting(term, key, came[number]) end
  if document.thread ~= '' then drop_turn(document.thread, document.index, key) end
  if document.speaker ~= '' then count_speaker(document.speaker, document.called, -1) end
  count_document(document, -1)
end

-- A record that is put without a vector loses the one that it had, and the log tells those who have a copy of it.
local function set_vector(number, vector)
  if vector ~= '' then redis.call('HSET', VECTORS, number, vector)
  elseif redis.call('ZSCORE', VECTOR_LOG, number) then redis.call('HDEL', VECTORS, number)
  else return end
  redis.call('ZADD', VECTOR_LOG, redis.call('HINCRBY', FACTS, 'vectors', 1), number)
end

local function index(number, document, created)
  if not document.found then return end
  local key = struct.pack('>I4', number)
  local at = 0
  for term in string.gmatch(document.terms, '%Z+') do
    at = at + 1
    add_posting(term, key .. string.sub(document.weights, at, at))
  end
  came[number] = true
  local speaker = 0
  if document.speaker ~= '' then speaker = count_speaker(document.speaker, document.called, 1) end
  if document.thread ~= '' then
    add_turn(document.thread, document.index, key, document.what, speaker, created)
  end
  count_document(document, 1)
end

-- What a change that is sent again is to be answered.
local function answer_again(mark, answer)
  redis.call('HSET', MARKS, mark, answer)
  if redis.call('HLEN', MARKS) == 1 then redis.call('PEXPIRE', MARKS, ${2 * MARKS_PERIOD_MS}) end
end

-- Removes a record that is there. What lies before the first record that is left is cut off.
local function remove(id, fields, document)
  -- First what only frees memory: a server that is out of it refuses a script whose first write may take more.
  redis.call('HDEL', RECORDS, id)
  redis.call('ZREM', EXPIRY, id)
  redis.call('HDEL', VECTORS, fields[1])
  redis.call('ZREM', VECTOR_LOG, fields[1])
  unindex(fields[1], document)
  local base = tonumber(redis.call('HGET', FACTS, 'base'))
  redis.call('LSET', ORDER, fields[1] - base, '')
  local cut = 0
  while cut < 1000 and redis.call('LINDEX', ORDER, 0) == '' do
    redis.call('LPOP', ORDER)
    cut = cut + 1
  end
  if cut > 0 then redis.call('HINCRBY', FACTS, 'base', cut) end
end

-- Of a namespace without records its birth and its numbers are left, for an hour, in which it may well come to life
-- again; one whose records all expire goes a second after the last of them.
local function settle()
  write_counts()
  local records = redis.call('HLEN', RECORDS)
  if records == 0 then
    redis.call('UNLINK', RECORDS, ORDER, TERMS, THREADS, SPEAKERS, EXPIRY, VECTORS, VECTOR_LOG)
    redis.call('HSET', FACTS, 'base', redis.call('HGET', FACTS, 'next'))
    redis.call('HDEL', FACTS, 'analysis')
    redis.call('PEXPIRE', FACTS, 3600000)
    return
  end
  local keys = { RECORDS, ORDER, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG }
  if redis.call('ZCARD', EXPIRY) == records then
    local last = redis.call('ZREVRANGE', EXPIRY, 0, 0, 'WITHSCORES')[2]
    -- A second late, and never now: a key whose time comes between these calls would go before the others.
    local time = redis.call('TIME')
    local at = math.max(last, time[1] * 1000 + math.floor(time[2] / 1000)) + 1000
    for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, string.format('%.0f', at)) end
  elseif redis.call('PTTL', FACTS) >= 0 then
    for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  end
end
`;
