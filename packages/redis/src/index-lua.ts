import { FACTS_LUA } from './facts-lua.ts';
import { MANY_LUA } from './many-lua.ts';
import { CHANGES_LUA } from './postings-lua.ts';
import { RECORD_CHANGES_LUA } from './records-lua.ts';

/*
 * The index of a namespace.
 *
 * facts     see `facts-lua.ts`
 *
 * records   see `records-lua.ts`, also for `ids`
 *
 * terms     see `postings-lua.ts`
 *
 * threads   a thread, NUL and a number: 128 places of a thread, with 18 bytes for each turn there: its index among them
 *           (1), its document (4), the flags of its text (1: asks 1, speaks of a time 2, instructs 4), its speaker (4, 0 for
 *           none), when it was said in milliseconds since 1970 (8).
 *
 * speakers  a name: the number of the speaker, how many turns they have, and what they are called, as JSON.
 *
 * vectors   a document: its vector, see `vector-replica.ts`.
 *
 * vectorLog the documents that have a vector, by when it was set: every change of a vector has a number, counted from 1. A
 *           document that lost its vector has the negative of that number, so that copies elsewhere lose it, too. As many
 *           of these are kept as there are vectors, and some more.
 */

/** Marks are kept for at least one period and at most two. */
export const MARKS_PERIOD_MS = 60_000;

/** Names the keys of a namespace, and reads the time. Keys must be passed in this order. */
export const KEYS_LUA = `
local RECORDS, IDS, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG, GATE, MARKS = unpack(KEYS)
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
`;

/** The log of vectors keeps this many documents without a vector more than there are vectors. */
const LEAST_GONE = 100;
const MOST_GONE = 10_000;

/** Changes records, postings, the places of a thread, and the speakers. */
export const INDEX_LUA = `${MANY_LUA}${FACTS_LUA}${RECORD_CHANGES_LUA}${CHANGES_LUA}
local PLACE, SPAN = 18, 128

local function span_of(thread, index)
  return thread .. '\\0' .. string.format('%.0f', math.floor(index / SPAN))
end

-- A script reads each place and speaker that it changes once, and writes it at its end.
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

local function add_turn(thread, index, key, flags, speaker, time)
  local field = span_of(thread, index)
  local places = read_places(field)
  -- Behind all of the same or a lower index: turns mostly come in order.
  local at, within = #places + 1, index % SPAN
  while at > 1 and byte(places, at - PLACE) > within do at = at - PLACE end
  local place = char(within) .. key .. struct.pack('>BI4d', flags, speaker, time)
  if at > #places then places_of[field] = places .. place
  else places_of[field] = string.sub(places, 1, at - 1) .. place .. string.sub(places, at) end
end

-- Changes how many turns a speaker has, and returns the speaker's number. \`called\` is JSON.
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

/** Reads what `describeDocument` wrote, adds documents to the index and removes them. */
export const DOCUMENTS_LUA = `
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end

-- Scripts don't roll back, so they must find every error before they change anything. Most change no vectors.
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
  document.thread, document.index, document.flags = take(), tonumber(take()), tonumber(take())
  document.speaker, document.called = take(), take()
  return document
end

local function count_document(document, by)
  count('docs', by)
  count('length', by * document.length)
  count('squares', by * document.length * document.length)
  count('in:' .. document.language, by)
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

-- '' removes the vector of a document, if it has one.
local vectors_are_gone = false
local function set_vector(number, vector)
  if vector ~= '' then
    redis.call('HSET', VECTORS, number, vector)
    redis.call('ZADD', VECTOR_LOG, redis.call('HINCRBY', FACTS, 'vectors', 1), number)
    return
  end
  local logged = redis.call('ZSCORE', VECTOR_LOG, number)
  if not logged or tonumber(logged) < 0 then return end
  redis.call('HDEL', VECTORS, number)
  redis.call('ZADD', VECTOR_LOG, -redis.call('HINCRBY', FACTS, 'vectors', 1), number)
  vectors_are_gone = true
end

-- Forgets the oldest documents that lost their vectors. A copy that misses one of them is told so by the number of vectors.
local function trim_vector_log()
  local gone = redis.call('ZCOUNT', VECTOR_LOG, '-inf', '(0')
  local kept = math.min(${MOST_GONE}, redis.call('ZCARD', VECTOR_LOG) - gone + ${LEAST_GONE})
  if gone > kept then redis.call('ZREMRANGEBYRANK', VECTOR_LOG, kept, gone - 1) end
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
    add_turn(document.thread, document.index, key, document.flags, speaker, created)
  end
  count_document(document, 1)
end

-- Keeps the reply for a change that is sent again.
local function answer_again(mark, answer)
  redis.call('HSET', MARKS, mark, answer)
  if redis.call('HLEN', MARKS) == 1 then redis.call('PEXPIRE', MARKS, ${2 * MARKS_PERIOD_MS}) end
end

-- Removes a record that exists.
local function remove(number, id, document)
  -- First what only frees memory: a server without free memory rejects a script whose first write may take more.
  redis.call('ZREM', EXPIRY, number)
  set_vector(number, '')
  drop_record(id)
  set_fact('records', fact('records') - 1)
  unindex(number, document)
end

-- Finds the first record, 1,000 documents at a time: a list from the oldest on begins there.
local function move_base()
  local base = fact('base')
  local stretch = math.min(fact('next'), base + 1000)
  while base < stretch and not front_of(base) do base = base + 1 end
  set_fact('base', base)
end

-- A namespace without records keeps the time of its creation and its numbers for an hour, in which records may well come
-- again. A namespace whose records all expire is removed a second after the last of them.
local function settle()
  local records = fact('records')
  if vectors_are_gone then trim_vector_log() end
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
    -- A second late, and never now: a key that expires between these calls would be removed before the others.
    local time = redis.call('TIME')
    local at = math.max(last, time[1] * 1000 + math.floor(time[2] / 1000)) + 1000
    for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, string.format('%.0f', at)) end
  elseif redis.call('PTTL', FACTS) >= 0 then
    for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  end
end
`;
