/*
 * Which documents hold which terms: the fields of `terms` in Redis.
 *
 * NUL and two bytes: a bucket of the terms that few documents have, which share it by a hash. Of each term its length in
 * bytes (1), itself, how many postings it has (1), and those. A posting is five bytes: the document (4), and how much it
 * holds of the term, see `weigh.ts` (1).
 *
 * A term that more documents have: how many other fields its postings are in (2), and the last of them. The others are
 * under the term, NUL and a number from 0 on: so that to add a document costs the same however long a list is.
 */

/** Where the postings of a term are. */
export const POSTINGS_LUA = `
local POSTING, FEW, FULL = 5, 8, 5 * 1024

local function bucket_of(term)
  local hash = 0
  for at = 1, #term do hash = (hash * 31 + string.byte(term, at)) % 509 end
  return '\\0' .. struct.pack('>H', hash)
end

-- The term at a place of a bucket, its postings, and the place of the next.
local function read_in_bucket(bucket, at)
  local length = string.byte(bucket, at)
  local from = at + length + 2
  local after = from + POSTING * string.byte(bucket, from - 1)
  return string.sub(bucket, at + 1, at + length), string.sub(bucket, from, after - 1), after
end

-- The postings of a term as a list of texts, and how many they are.
local function postings_of(term)
  local last = redis.call('HGET', TERMS, term)
  if not last then
    local bucket, at = redis.call('HGET', TERMS, bucket_of(term)) or '', 1
    while at <= #bucket do
      local found, postings, after = read_in_bucket(bucket, at)
      if found == term then return { postings }, #postings / POSTING end
      at = after
    end
    return {}, 0
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

/** Changes postings: `add_posting` and `drop_posting` note what is to be done, and `apply_changes` does it. */
export const CHANGES_LUA = `${POSTINGS_LUA}
local function set_or_drop(key, field, value)
  if value == '' then redis.call('HDEL', key, field) else redis.call('HSET', key, field, value) end
end

-- Postings without that of a document, whose four bytes are \`key\`; nil where it is not among them.
local function without(postings, key)
  local at = string.find(postings, key, 1, true)
  while at and (at - 1) % POSTING ~= 0 do at = string.find(postings, key, at + 1, true) end
  return at and string.sub(postings, 1, at - 1) .. string.sub(postings, at + POSTING)
end

-- What is to change in the postings of terms: of each the documents that go, and the postings that come with their places
-- by their documents. It is done once for all records of a script.
local changes = {}

local function change_of(term)
  if not changes[term] then changes[term] = { gone = {}, new = {}, places = {} } end
  return changes[term]
end

local function add_posting(term, key, weight)
  local change = change_of(term)
  local place = change.places[key] or #change.new + 1
  change.new[place], change.places[key] = key .. string.char(weight), place
end

local function drop_posting(term, key)
  local change = change_of(term)
  local place = change.places[key]
  if place then change.new[place] = '' else change.gone[#change.gone + 1] = key end
end

-- The fields of a term that many documents have, from 0 to \`last\`. Those that are not read yet are not empty.
local function read_fields(term, value)
  local list = { term = term, last = struct.unpack('>H', value), texts = {}, changed = {} }
  list.texts[list.last], list.before = string.sub(value, 3), list.last
  return list
end

local function text_of(list, number)
  if not list.texts[number] then list.texts[number] = redis.call('HGET', TERMS, list.term .. '\\0' .. number) or '' end
  return list.texts[number]
end

local function set_text(list, number, text)
  list.texts[number], list.changed[number] = text, true
end

-- Postings mostly stand in the order of their documents: looks from where one is to be expected on, both ways.
local function drop_from_fields(list, key, base, next)
  local share = (struct.unpack('>I4', key) - base) / math.max(1, next - base)
  local guess = math.max(0, math.min(list.last, math.floor(share * (list.last + 1))))
  for distance = 0, list.last do
    for _, number in ipairs({ guess - distance, guess + distance }) do
      local left = number >= 0 and number <= list.last and without(text_of(list, number), key)
      if left then return set_text(list, number, left) end
    end
  end
end

local function add_to_fields(list, postings)
  local text = text_of(list, list.last) .. postings
  local from = 1
  while #text - from >= FULL do
    set_text(list, list.last, string.sub(text, from, from + FULL - 1))
    list.last, from = list.last + 1, from + FULL
  end
  list.texts[list.last] = string.sub(text, from)
end

-- Fields that are empty go: nothing may tell that the term was ever there.
local function write_fields(list)
  local count = 0
  for number = 0, list.last do
    if list.texts[number] ~= '' then
      if count < number then set_text(list, count, text_of(list, number)) end
      count = count + 1
    end
  end
  local last = count > 0 and text_of(list, count - 1)
  for number = 0, count - 2 do
    if list.changed[number] then redis.call('HSET', TERMS, list.term .. '\\0' .. number, list.texts[number]) end
  end
  for number = math.max(0, count - 1), list.before - 1 do redis.call('HDEL', TERMS, list.term .. '\\0' .. number) end
  if last then redis.call('HSET', TERMS, list.term, struct.pack('>H', count - 1) .. last)
  else redis.call('HDEL', TERMS, list.term) end
end

local function change_fields(term, value, change)
  local list, facts = read_fields(term, value), redis.call('HMGET', FACTS, 'base', 'next')
  for _, key in ipairs(change.gone) do drop_from_fields(list, key, facts[1], facts[2]) end
  add_to_fields(list, table.concat(change.new))
  write_fields(list)
end

-- How a term stands in a bucket after a change; '' where it is in there no more.
local function change_in_bucket(term, postings, change)
  for _, key in ipairs(change.gone) do postings = without(postings, key) or postings end
  postings = postings .. table.concat(change.new)
  if #postings > FEW * POSTING then
    change_fields(term, '\\0\\0' .. postings, { gone = {}, new = {} })
    return ''
  end
  return postings == '' and '' or string.char(#term) .. term .. string.char(#postings / POSTING) .. postings
end

local function change_bucket(field, terms)
  local bucket = redis.call('HGET', TERMS, field) or ''
  local parts, from, at, left = {}, 1, #bucket + 1, 0
  for term in pairs(terms) do
    left = left + 1
    -- Most often the bucket has none of them, and need not be read.
    if at > 1 and string.find(bucket, string.char(#term) .. term, 1, true) then at = 1 end
  end
  while at <= #bucket and left > 0 do
    local term, postings, after = read_in_bucket(bucket, at)
    if terms[term] then
      parts[#parts + 1] = string.sub(bucket, from, at - 1)
      parts[#parts + 1] = change_in_bucket(term, postings, terms[term])
      terms[term], from, left = nil, after, left - 1
    end
    at = after
  end
  parts[#parts + 1] = string.sub(bucket, from)
  for term, change in pairs(terms) do parts[#parts + 1] = change_in_bucket(term, '', change) end
  set_or_drop(TERMS, field, table.concat(parts))
end

local function apply_changes()
  local buckets = {}
  for term, change in pairs(changes) do
    local value = redis.call('HGET', TERMS, term)
    if value then
      change_fields(term, value, change)
    else
      local field = bucket_of(term)
      buckets[field] = buckets[field] or {}
      buckets[field][term] = change
    end
  end
  for field, terms in pairs(buckets) do change_bucket(field, terms) end
end
`;
