import { FACTS_LUA } from './facts-lua.ts';
import { MANY_LUA } from './many-lua.ts';
import { CHANGES_LUA } from './postings-lua.ts';
import { RECORD_CHANGES_LUA } from './records-lua.ts';

/*
 * What scripts do to the index of a namespace.
 *
 * facts     see `facts-lua.ts`
 *
 * records   see `records-lua.ts`, and for `ids`
 *
 * terms     see `postings-lua.ts`
 *
 * threads   a thread, NUL and a number: 128 places of a thread, with 18 bytes for each turn that is there: its index among
 *           them (1), its document (4), what it is (1: asks 1, speaks of a time 2), its speaker (4, 0 for none), when it
 *           was said in milliseconds since 1970 (8).
 *
 * speakers  a name: its number, how many turns are its, and what it is called by, as JSON.
 */

/** Marks are kept for a period at least, and two at most. */
export const MARKS_PERIOD_MS = 60_000;

/** Names the keys of a namespace, and reads the time. They are to be passed in this order. */
export const KEYS_LUA = `
local RECORDS, IDS, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG, GATE, MARKS = unpack(KEYS)
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
`;

/** Changes records, postings, the places of a thread, and the speakers. */
export const INDEX_LUA = `${MANY_LUA}${FACTS_LUA}${RECORD_CHANGES_LUA}${CHANGES_LUA}
local PLACE, SPAN = 18, 128

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
    if string.sub(places, at + 1, at + 4) == key then
      places_of[field] = string.sub(places, 1, at - 1) .. string.sub(places, at + PLACE)
      return
    end
  end
end

local function add_turn(thread, index, key, what, speaker, time)
  local field = span_of(thread, index)
  local places = read_places(field)
  -- After all of no higher index: turns mostly come in order.
  local at, within = #places + 1, index % SPAN
  while at > 1 and byte(places, at - PLACE) > within do at = at - PLACE end
  local place = char(within) .. key .. struct.pack('>BI4d', what, speaker, time)
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

local function apply_changes()
  apply_records()
  apply_postings()
  local write_span, flush_spans = setter(THREADS)
  for field, places in pairs(places_of) do write_span(field, places) end
  flush_spans()
  local write_speaker, flush_speakers = setter(SPEAKERS)
  for name, speaker in pairs(speakers) do
    local called = speaker.called == '' and '' or ',' .. speaker.called
    write_speaker(name, speaker.turns > 0 and '[' .. speaker.number .. ',' .. speaker.turns .. called .. ']' or '')
  end
  flush_speakers()
end
`;

/** Reads what \`describeDocument\` wrote, and takes documents into the index and out of it. */
export const DOCUMENTS_LUA = `
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end

-- Nothing rolls back: what a script can't work with it has to find before it changes anything. Most change no vectors.
local function problem(changes_vectors)
  local records = fact('records') > 0
  local there, named = redis.call('HLEN', RECORDS) > 0, redis.call('HLEN', IDS) > 0
  for _, key in ipairs({ TERMS, THREADS, SPEAKERS }) do redis.call('HLEN', key) end
  redis.call('ZCARD', EXPIRY)
  if changes_vectors then
    redis.call('HLEN', VECTORS)
    redis.call('ZCARD', VECTOR_LOG)
  end
  if records == there and records == named then return nil end
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

-- Removes a record that is there.
local function remove(number, id, document)
  -- First what only frees memory: a server that is out of it refuses a script whose first write may take more.
  redis.call('ZREM', EXPIRY, number)
  redis.call('HDEL', VECTORS, number)
  redis.call('ZREM', VECTOR_LOG, number)
  drop_record(id)
  set_fact('records', fact('records') - 1)
  unindex(number, document)
end

-- Finds where the first record is now, a stretch at a time: a list that begins with the oldest begins there.
local function move_base()
  local base = fact('base')
  local stretch = math.min(fact('next'), base + 1000)
  while base < stretch and not stored_of(base) do base = base + 1 end
  set_fact('base', base)
end

-- Of a namespace without records its birth and its numbers are left, for an hour, in which it may well come to life
-- again; one whose records all expire goes a second after the last of them.
local function settle()
  local records = fact('records')
  if records == 0 then
    set_fact('base', fact('next'))
    set_fact('analysis', '')
    set_fact('records', '')
  end
  write_facts()
  if records == 0 then
    redis.call('UNLINK', RECORDS, IDS, TERMS, THREADS, SPEAKERS, EXPIRY, VECTORS, VECTOR_LOG)
    redis.call('PEXPIRE', FACTS, 3600000)
    return
  end
  local keys = { RECORDS, IDS, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG }
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
