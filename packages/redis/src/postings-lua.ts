/*
 * Which documents hold which terms: the fields of `terms` in Redis.
 *
 * NUL and two bytes: a bucket of terms with the same hash that few documents have. Of each term its length in bytes (1), the
 * number of its postings (1), the term, and its postings. A posting is five bytes: the document (4), and how often it has the
 * term and how long it is, as `quantizedFrequency` of `@keepsake/search` (1).
 *
 * A term that more documents have: how many other fields its postings are in (4), and the last postings. The other fields are
 * named by the term, NUL and a number from 0 on, so that adding a document costs the same however long the list is.
 */

/** Where the postings of a term are. */
export const POSTINGS_LUA = `
local byte, char, find, sub = string.byte, string.char, string.find, string.sub
local concat, insert = table.concat, table.insert
-- With what Redis keeps before it, a full field fills 1 KiB.
local POSTING, FEW, FULL = 5, 8, 5 * 202

local function bucket_of(term)
  local hash = 0
  for at = 1, #term, 4 do
    local a, b, c, d = byte(term, at, at + 3)
    hash = (hash * 923521 + a * 29791 + (b or 0) * 961 + (c or 0) * 31 + (d or 0)) % 509
  end
  return '\\0' .. struct.pack('>H', hash)
end

-- Where a term is in a bucket, where its postings begin, and where the next term does. Nil if it is not there.
local function find_in_bucket(bucket, term)
  -- Mostly it is not, and this is the fastest way to see that.
  if not find(bucket, term, 1, true) then return nil end
  local at, wanted = 1, #term
  while at <= #bucket do
    local length, count = byte(bucket, at, at + 1)
    local from = at + 2 + length
    local after = from + POSTING * count
    if length == wanted and sub(bucket, at + 2, from - 1) == term then return at, from, after end
    at = after
  end
end

-- The postings of a term as a list of texts, and their number.
local function postings_of(term)
  local last = redis.call('HGET', TERMS, term)
  if not last then
    local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
    local at, from, after = find_in_bucket(bucket, term)
    if not at then return {}, 0 end
    return { sub(bucket, from, after - 1) }, (after - from) / POSTING
  end
  local texts = { sub(last, 5) }
  for other = 0, struct.unpack('>I4', last) - 1 do
    texts[#texts + 1] = redis.call('HGET', TERMS, term .. '\\0' .. other) or ''
  end
  local size = 0
  for _, text in ipairs(texts) do size = size + #text / POSTING end
  return texts, size
end
`;

/** Changes postings: `add_posting` and `drop_posting` note the changes, and `apply_postings` writes them. */
export const CHANGES_LUA = `${POSTINGS_LUA}
local write_term, flush_terms = setter(TERMS)

-- Postings without that of the document with the four bytes \`key\`, or nil if it has none.
local function without(postings, key)
  local at = find(postings, key, 1, true)
  while at and (at - 1) % POSTING ~= 0 do at = find(postings, key, at + 1, true) end
  return at and sub(postings, 1, at - 1) .. sub(postings, at + POSTING)
end

-- The changes of all records of a script: of each term that changes the postings to add, and of some the documents to
-- remove.
local come, gone = {}, {}

local function add_posting(term, posting)
  local list = come[term]
  if list then list[#list + 1] = posting else come[term] = { posting } end
end

-- A document that this script added is not written yet.
local function drop_posting(term, key, came)
  local list = come[term] or {}
  if came then
    for at, posting in ipairs(list) do
      if sub(posting, 1, 4) == key then return table.remove(list, at) end
    end
  end
  come[term], gone[term] = list, gone[term] or {}
  insert(gone[term], key)
end

-- The fields of a term that many documents have, from 0 to \`last\`. Fields that are not read yet are not empty.
local function read_fields(term, value)
  local list = { term = term, last = struct.unpack('>I4', value), texts = {}, changed = {} }
  list.texts[list.last], list.before = sub(value, 5), list.last
  return list
end

local function text_of(list, number)
  if not list.texts[number] then list.texts[number] = redis.call('HGET', TERMS, list.term .. '\\0' .. number) or '' end
  return list.texts[number]
end

local function set_text(list, number, text)
  list.texts[number], list.changed[number] = text, true
end

-- Postings are mostly in the order of their documents: searches in both directions from where one is likely.
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

-- The same for many documents: one pass through all fields takes less time than a search for each.
local function drop_many_from_fields(list, keys)
  local dropped = {}
  for _, key in ipairs(keys) do dropped[key] = true end
  for number = 0, list.last do
    local text, parts, from = text_of(list, number), {}, 1
    for at = 1, #text, POSTING do
      if dropped[sub(text, at, at + 3)] then
        parts[#parts + 1] = sub(text, from, at - 1)
        from = at + POSTING
      end
    end
    if from > 1 then set_text(list, number, concat(parts) .. sub(text, from)) end
  end
end

local function add_to_fields(list, postings)
  local text = text_of(list, list.last) .. postings
  local from = 1
  while #text - from >= FULL do
    set_text(list, list.last, sub(text, from, from + FULL - 1))
    list.last, from = list.last + 1, from + FULL
  end
  list.texts[list.last] = sub(text, from)
end

-- Removes empty fields: nothing may show that the term was ever there.
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
    if list.changed[number] then write_term(list.term .. '\\0' .. number, list.texts[number]) end
  end
  for number = math.max(0, count - 1), list.before - 1 do redis.call('HDEL', TERMS, list.term .. '\\0' .. number) end
  if last then write_term(list.term, struct.pack('>I4', count - 1) .. last)
  else redis.call('HDEL', TERMS, list.term) end
end

local function change_fields(term, value, postings)
  local dropped = gone[term]
  -- Most changes are of this kind.
  if not dropped and #value + #postings <= FULL + 4 then return write_term(term, value .. postings) end
  local list = read_fields(term, value)
  if dropped and #dropped > 5 * (list.last + 1) then
    drop_many_from_fields(list, dropped)
  elseif dropped then
    for _, key in ipairs(dropped) do drop_from_fields(list, key, fact('base'), fact('next')) end
  end
  add_to_fields(list, postings)
  write_fields(list)
end

-- A term in a bucket after a change, or '' if it is no longer there.
local function change_in_bucket(term, postings)
  for _, key in ipairs(gone[term] or {}) do postings = without(postings, key) or postings end
  postings = postings .. concat(come[term])
  if #postings > FEW * POSTING then
    gone[term] = nil
    change_fields(term, '\\0\\0\\0\\0', postings)
    return ''
  end
  return postings == '' and '' or char(#term, #postings / POSTING) .. term .. postings
end

local function change_bucket(field, bucket, terms)
  for _, term in ipairs(terms) do
    local at, from, after = find_in_bucket(bucket, term)
    if at then
      local changed = change_in_bucket(term, sub(bucket, from, after - 1))
      bucket = sub(bucket, 1, at - 1) .. changed .. sub(bucket, after)
    else
      bucket = bucket .. change_in_bucket(term, '')
    end
  end
  write_term(field, bucket)
end

local function apply_postings()
  local terms, fields, buckets = {}, {}, {}
  for term in pairs(come) do terms[#terms + 1] = term end
  each_value(TERMS, terms, function(term, value)
    if value then return change_fields(term, value, concat(come[term])) end
    local field = bucket_of(term)
    if not buckets[field] then
      fields[#fields + 1], buckets[field] = field, {}
    end
    insert(buckets[field], term)
  end)
  each_value(TERMS, fields, function(field, bucket) change_bucket(field, bucket or '', buckets[field]) end)
  flush_terms()
end
`;
