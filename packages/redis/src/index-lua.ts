/*
 * What scripts do to the index of a namespace.
 *
 * facts     next, base    the number of the next document, and that of the first in the order
 *           born          when the namespace came into being, in microseconds since 1970
 *           registered    1 once the registry knows the namespace
 *           docs, length  how many documents are found, and how many terms they have
 *           turns         how many of them are turns
 *           speaker       the number of the newest speaker
 *           in:LANGUAGE   how many documents are in a language
 *           vectors       the number of the newest vector
 *
 * terms     NUL and two bytes: a bucket of the terms that few documents have, which share it by a hash. Of each term its
 *           length in bytes (1), itself, how many postings it has (1), and those. A posting is five bytes: the document (4),
 *           and how much it holds of the term, see `weigh.ts` (1).
 *           a term that more documents have: how many other fields its postings are in (2), and the last of them. The
 *           others are under the term, NUL and a number from 0 on: so that to add a document costs the same however
 *           long a list is.
 *
 * threads   a thread, NUL and a number: 128 places of a thread, with 27 bytes for each turn that is there: its index in the
 *           thread (8), its document (4), what it is (1: asks 1, speaks of a time 2), its speaker (4, 0 for none), when it
 *           was said in milliseconds since 1970 (8), 2 that are free.
 *
 * speakers  a name: its number, how many turns are its, and what it is called by, as JSON.
 */

/** Names the keys of a namespace, and reads the time. They are to be passed in this order. */
export const KEYS_LUA = `
local RECORDS, ORDER, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG, GATE = unpack(KEYS)
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

/** Where the postings of a term are. */
export const POSTINGS_LUA = `
local POSTING, FEW, FULL = 5, 8, 5 * 1024

local function bucket_of(term)
  local hash = 0
  for at = 1, #term do hash = (hash * 31 + string.byte(term, at)) % 509 end
  return '\\0' .. struct.pack('>H', hash)
end

-- Where a term begins in a bucket, where its postings do, and where the next term does; nil where it is not in there.
local function find_in(bucket, term)
  -- Most often it is not.
  if not string.find(bucket, term, 1, true) then return nil end
  local at = 1
  while at <= #bucket do
    local length = string.byte(bucket, at)
    local from = at + length + 2
    local after = from + POSTING * string.byte(bucket, from - 1)
    if string.sub(bucket, at + 1, at + length) == term then return at, from, after end
    at = after
  end
  return nil
end

-- The postings of a term as a list of texts, and how many they are.
local function postings_of(term)
  local last = redis.call('HGET', TERMS, term)
  if not last then
    local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
    local _, from, after = find_in(bucket, term)
    if not from then return {}, 0 end
    return { string.sub(bucket, from, after - 1) }, (after - from) / POSTING
  end
  local texts = { string.sub(last, 3) }
  for other = 0, struct.unpack('>H', last) - 1 do
    texts[#texts + 1] = redis.call('HGET', TERMS, term .. '\\0' .. other) or ''
  end
  local size = 0
  for _, text in ipairs(texts) do size = size + #text / POSTING end
  return texts, size
end
`;

/** Changes postings, and the places of a thread. */
export const INDEX_LUA = `${POSTINGS_LUA}
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

local function set_or_drop(key, field, value, empty)
  if #value == empty then redis.call('HDEL', key, field) else redis.call('HSET', key, field, value) end
end

-- Postings without that of a document, whose four bytes are \`key\`; nil where it is not among them.
local function without(postings, from, key)
  local at = string.find(postings, key, from, true)
  while at and (at - from) % POSTING ~= 0 do at = string.find(postings, key, at + 1, true) end
  return at and string.sub(postings, 1, at - 1) .. string.sub(postings, at + POSTING)
end

local function of_few(term, postings)
  if postings == '' then return '' end
  return string.char(#term) .. term .. string.char(#postings / POSTING) .. postings
end

local function drop_from_bucket(term, key)
  local field = bucket_of(term)
  local bucket = redis.call('HGET', TERMS, field) or ''
  local at, from, after = find_in(bucket, term)
  local left = at and without(string.sub(bucket, from, after - 1), 1, key)
  if not left then return end
  set_or_drop(TERMS, field, string.sub(bucket, 1, at - 1) .. of_few(term, left) .. string.sub(bucket, after), 0)
end

local function drop_posting(term, key)
  local last = redis.call('HGET', TERMS, term)
  if not last then return drop_from_bucket(term, key) end
  local others = struct.unpack('>H', last)
  local left = without(last, 3, key)
  if left then
    last = left
  else
    for other = others - 1, 0, -1 do
      local field = term .. '\\0' .. other
      left = without(redis.call('HGET', TERMS, field) or '', 1, key)
      if left then
        redis.call('HSET', TERMS, field, left)
        break
      end
    end
  end
  -- Fields that are empty go, from the end on: nothing may tell that the term was ever there.
  while #last == 2 and others > 0 do
    others = others - 1
    local field = term .. '\\0' .. others
    last = struct.pack('>H', others) .. (redis.call('HGET', TERMS, field) or '')
    redis.call('HDEL', TERMS, field)
  end
  set_or_drop(TERMS, term, last, 2)
end

-- Adds postings to a bucket. Where the term has too many for it, it leaves the bucket, and its postings are given.
local function add_to_bucket(term, postings)
  local field = bucket_of(term)
  local bucket = redis.call('HGET', TERMS, field) or ''
  local at, from, after = find_in(bucket, term)
  if at then
    postings = string.sub(bucket, from, after - 1) .. postings
    bucket = string.sub(bucket, 1, at - 1) .. string.sub(bucket, after)
  end
  if #postings <= FEW * POSTING then
    redis.call('HSET', TERMS, field, bucket .. of_few(term, postings))
    return nil
  end
  if at then set_or_drop(TERMS, field, bucket, 0) end
  return '\\0\\0' .. postings
end

-- \`postings\` is a list of new ones.
local function add_postings(term, postings)
  local last = redis.call('HGET', TERMS, term)
  if last then last = last .. table.concat(postings) else last = add_to_bucket(term, table.concat(postings)) end
  if not last then return end
  while #last > FULL + 2 do
    local others = struct.unpack('>H', last)
    redis.call('HSET', TERMS, term .. '\\0' .. others, string.sub(last, 3, FULL + 2))
    last = struct.pack('>H', others + 1) .. string.sub(last, FULL + 3)
  end
  redis.call('HSET', TERMS, term, last)
end

local function span_of(thread, index)
  return thread .. '\\0' .. string.format('%.0f', math.floor(index / SPAN))
end

local function drop_turn(thread, index, key)
  local field = span_of(thread, index)
  local places = redis.call('HGET', THREADS, field) or ''
  for at = 1, #places, PLACE do
    if string.sub(places, at + 8, at + 11) == key then
      places = string.sub(places, 1, at - 1) .. string.sub(places, at + PLACE)
      break
    end
  end
  set_or_drop(THREADS, field, places, 0)
end

local function add_turn(thread, index, key, what, speaker, time)
  local field = span_of(thread, index)
  local places = redis.call('HGET', THREADS, field) or ''
  -- After all of no higher index: turns mostly come in order.
  local at = #places + 1
  while at > 1 and struct.unpack('>d', places, at - PLACE) > index do at = at - PLACE end
  local place = struct.pack('>d', index) .. key .. struct.pack('>BI4dH', what, speaker, time, 0)
  redis.call('HSET', THREADS, field, string.sub(places, 1, at - 1) .. place .. string.sub(places, at))
end

-- Changes how many turns a speaker has, and gives the speaker's number. \`called\` is JSON.
local function count_speaker(name, called, by)
  local known = redis.call('HGET', SPEAKERS, name)
  local number, turns
  if known then
    local fields = cjson.decode(known)
    number, turns = fields[1], fields[2] + by
  else
    number, turns = redis.call('HINCRBY', FACTS, 'speaker', 1), by
  end
  if turns > 0 then
    redis.call('HSET', SPEAKERS, name, '[' .. number .. ',' .. turns .. (called == '' and '' or ',' .. called) .. ']')
  else
    redis.call('HDEL', SPEAKERS, name)
  end
  return number
end
`;

/** Reads what \`describeDocument\` wrote, and takes documents into the index and out of it. */
export const DOCUMENTS_LUA = `
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end

-- Nil for a record that is kept out of search.
local function take_document()
  local described = take()
  return described ~= '' and cjson.decode(described) or nil
end

-- Postings that are yet to be added, by term: those of one batch are added together.
local waiting = {}

local function add_waiting()
  for term, postings in pairs(waiting) do add_postings(term, postings) end
  waiting = {}
end

local function count_document(document, by)
  count('docs', by)
  count('length', by * document.length)
  count('in:' .. document.language, by)
  if document.thread then count('turns', by) end
end

local function unindex(number, document)
  if not document then return end
  add_waiting()
  local key = struct.pack('>I4', number)
  for _, term in ipairs(document.terms) do drop_posting(term, key) end
  if document.thread then drop_turn(document.thread, document.index, key) end
  if document.speaker then count_speaker(document.speaker, document.called, -1) end
  count_document(document, -1)
end

-- A record that is put without a vector loses the one that it had.
local function set_vector(number, vector)
  if vector == '' then
    redis.call('HDEL', VECTORS, number)
    redis.call('ZREM', VECTOR_LOG, number)
  else
    redis.call('HSET', VECTORS, number, vector)
    redis.call('ZADD', VECTOR_LOG, redis.call('HINCRBY', FACTS, 'vectors', 1), number)
  end
end

local function index(number, document, created)
  if not document then return end
  local key = struct.pack('>I4', number)
  for n, term in ipairs(document.terms) do
    local postings = waiting[term]
    if not postings then
      postings = {}
      waiting[term] = postings
    end
    postings[#postings + 1] = key .. string.char(document.weights[n])
  end
  local speaker = 0
  if document.speaker then speaker = count_speaker(document.speaker, document.called, 1) end
  if document.thread then
    add_turn(document.thread, document.index, key, document.what, speaker, created)
  end
  count_document(document, 1)
end

-- Removes a record that is there. What lies before the first record that is left is cut off.
local function remove(id, fields, document)
  unindex(fields[1], document)
  redis.call('HDEL', RECORDS, id)
  redis.call('ZREM', EXPIRY, id)
  set_vector(fields[1], '')
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
-- again; one whose records all expire goes with the last of them.
local function settle()
  write_counts()
  local records = redis.call('HLEN', RECORDS)
  if records == 0 then
    redis.call('UNLINK', RECORDS, ORDER, TERMS, THREADS, SPEAKERS, EXPIRY, VECTORS, VECTOR_LOG)
    redis.call('HSET', FACTS, 'base', redis.call('HGET', FACTS, 'next'))
    redis.call('PEXPIRE', FACTS, 3600000)
    return 0
  end
  local keys = { RECORDS, ORDER, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG }
  if redis.call('ZCARD', EXPIRY) == records then
    local last = redis.call('ZREVRANGE', EXPIRY, 0, 0, 'WITHSCORES')[2]
    for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, last) end
  elseif redis.call('PTTL', FACTS) >= 0 then
    for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  end
  return records
end
`;
