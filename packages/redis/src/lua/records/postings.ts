import { layout } from '../layout.ts';
import { STAT } from './index-stats.ts';

/*
 * Which documents hold which terms: the hash `terms`.
 *
 * The field of NUL and two bytes holds a bucket: the terms with the same hash that few documents have. Of each term the
 * bucket has its length in bytes (1 byte), the number of its postings (1), the term, and its postings.
 *
 * A term that more documents have has a field of its own: how many other fields its postings are in (4), and the last
 * postings. The other fields are named by the term, NUL and a number from 0 on, so that adding a document costs the same
 * however long the list is.
 */

/** A document, and the frequency of the term in it with its length, as `quantizedFrequency` of `@keepsake/search`. */
export const POSTING = layout({ document: 'I4', weight: 'B' });

/**
 * Lua: reads postings. Needs `NAMESPACE_KEYS_LUA`.
 *
 * - Reads `TERMS`, without the postings of staged documents.
 * - `postings_of(term)` returns the postings of a term as a list of texts, and their number.
 * - `bucket_of(term)` returns the field of its bucket. `find_in_bucket(bucket, term)` returns where the term begins there,
 *   where its postings do and where the next term does; or nil.
 */
export const POSTINGS_LUA = `
local byte, char, find, sub = string.byte, string.char, string.find, string.sub
local concat, insert = table.concat, table.insert
-- With what Redis keeps before it, a full field fills 1 KiB.
local POSTING_SIZE, BUCKET_POSTINGS, FIELD_SIZE = ${POSTING.size}, 8, ${202 * POSTING.size}

local function bucket_of(term)
  local hash = 0
  for at = 1, #term, 4 do
    local a, b, c, d = byte(term, at, at + 3)
    hash = (hash * 923521 + a * 29791 + (b or 0) * 961 + (c or 0) * 31 + (d or 0)) % 509
  end
  return '\\0' .. struct.pack('>H', hash)
end

local function find_in_bucket(bucket, term)
  -- Most terms are not there, and this is the fastest way to see that.
  if not find(bucket, term, 1, true) then return nil end
  local at, wanted = 1, #term
  while at <= #bucket do
    local length, count = byte(bucket, at, at + 1)
    local from = at + 2 + length
    local after = from + POSTING_SIZE * count
    if length == wanted and sub(bucket, at + 2, from - 1) == term then return at, from, after end
    at = after
  end
end

-- The first document that is staged, if there are any: searches must neither find nor count them.
local staged_key = redis.call('HEXISTS', STATS, '${STAT.staged}') == 1
  and struct.pack('>I4', redis.call('HGET', STATS, '${STAT.nextDocument}') or 0)

local function without_staged(texts)
  if not staged_key then return texts end
  for n, text in ipairs(texts) do
    local parts, from = {}, 1
    for at = 1, #text, POSTING_SIZE do
      if sub(text, at, at + 3) >= staged_key then
        parts[#parts + 1] = sub(text, from, at - 1)
        from = at + POSTING_SIZE
      end
    end
    if from > 1 then texts[n] = concat(parts) .. sub(text, from) end
  end
  return texts
end

local function size_of(texts)
  local size = 0
  for _, text in ipairs(texts) do size = size + #text / POSTING_SIZE end
  return size
end

local function postings_of(term)
  local last = redis.call('HGET', TERMS, term)
  if not last then
    local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
    local at, from, after = find_in_bucket(bucket, term)
    if not at then return {}, 0 end
    local found = without_staged({ sub(bucket, from, after - 1) })
    return found, size_of(found)
  end
  local texts = { sub(last, 5) }
  for other = 0, struct.unpack('>I4', last) - 1 do
    texts[#texts + 1] = redis.call('HGET', TERMS, term .. '\\0' .. other) or ''
  end
  return without_staged(texts), size_of(texts)
end
`;

/**
 * Lua: changes postings. Needs `POSTINGS_LUA`, `HASH_BATCHES_LUA` and `INDEX_STATS_LUA`.
 *
 * - `add_posting(term, posting)` and `drop_posting(term, key, is_new)` collect changes. `key` is the document as four bytes,
 *   and `is_new` tells whether this script added the document.
 * - `apply_postings()` reads and writes `TERMS`.
 */
export const POSTING_CHANGES_LUA = `
local write_term, flush_terms = hash_writer(TERMS)

-- Postings without the one of a document, or nil if it has none.
local function without(postings, key)
  local at = find(postings, key, 1, true)
  while at and (at - 1) % POSTING_SIZE ~= 0 do at = find(postings, key, at + 1, true) end
  return at and sub(postings, 1, at - 1) .. sub(postings, at + POSTING_SIZE)
end

-- The changes by all records of a script: the postings to add for each term that changes, and the documents to remove.
local additions, removals = {}, {}

local function add_posting(term, posting)
  local list = additions[term]
  if list then list[#list + 1] = posting else additions[term] = { posting } end
end

local function drop_posting(term, key, is_new)
  local list = additions[term] or {}
  -- The postings of a new document are not written yet.
  if is_new then
    for at, posting in ipairs(list) do
      if sub(posting, 1, 4) == key then return table.remove(list, at) end
    end
  end
  additions[term], removals[term] = list, removals[term] or {}
  insert(removals[term], key)
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

local function document_at(text, at)
  return (struct.unpack('>I4', text, at))
end

-- The last place of \`from\` to \`to\` where a document is not above this one. \`document_of\` returns nil for an empty place.
local function search_sorted(from, to, document, document_of)
  while from < to do
    local middle = math.ceil((from + to) / 2)
    local found = document_of(middle)
    if found and found <= document then from = middle else to = middle - 1 end
  end
  return from
end

-- Where a document is, or belongs, if the postings are in the order of their documents.
local function field_of(list, document)
  return search_sorted(0, list.last, document, function(number)
    local text = text_of(list, number)
    return text ~= '' and document_at(text, 1)
  end)
end

-- Postings are mostly in the order of their documents, so this searches in both directions from where one is likely.
local function drop_from_fields(list, key)
  local likely = field_of(list, document_at(key, 1))
  for distance = 0, list.last do
    for _, number in ipairs({ likely - distance, likely + distance }) do
      local left = number >= 0 and number <= list.last and without(text_of(list, number), key)
      if left then return set_text(list, number, left) end
    end
  end
end

-- Adds the posting of a document that was there before to where it belongs. Returns false if the field has no room.
local function insert_into_fields(list, posting)
  local document = document_at(posting, 1)
  local number = field_of(list, document)
  local text = text_of(list, number)
  if #text >= 2 * FIELD_SIZE then return false end
  local before = search_sorted(0, #text / POSTING_SIZE, document, function(n)
    return document_at(text, (n - 1) * POSTING_SIZE + 1)
  end)
  local at = before * POSTING_SIZE
  set_text(list, number, sub(text, 1, at) .. posting .. sub(text, at + 1))
  return true
end

-- For many documents, one pass through all fields takes less time than a search for each.
local function drop_many_from_fields(list, keys)
  local dropped = {}
  for _, key in ipairs(keys) do dropped[key] = true end
  for number = 0, list.last do
    local text, parts, from = text_of(list, number), {}, 1
    for at = 1, #text, POSTING_SIZE do
      if dropped[sub(text, at, at + 3)] then
        parts[#parts + 1] = sub(text, from, at - 1)
        from = at + POSTING_SIZE
      end
    end
    if from > 1 then set_text(list, number, concat(parts) .. sub(text, from)) end
  end
end

local function add_to_fields(list, postings)
  local text = text_of(list, list.last) .. postings
  local from = 1
  while #text - from >= FIELD_SIZE do
    set_text(list, list.last, sub(text, from, from + FIELD_SIZE - 1))
    list.last, from = list.last + 1, from + FIELD_SIZE
  end
  list.texts[list.last] = sub(text, from)
end

-- Removes empty fields, so that nothing shows that the term was ever there.
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

local function change_fields(term, value, postings, inserted)
  local dropped = removals[term]
  -- Most changes only append to a field that has room.
  if not dropped and #inserted == 0 and #value + #postings <= FIELD_SIZE + 4 then return write_term(term, value .. postings) end
  local list = read_fields(term, value)
  if dropped and #dropped > 5 * (list.last + 1) then
    drop_many_from_fields(list, dropped)
  elseif dropped then
    for _, key in ipairs(dropped) do drop_from_fields(list, key) end
  end
  for _, posting in ipairs(inserted) do
    if not insert_into_fields(list, posting) then postings = postings .. posting end
  end
  add_to_fields(list, postings)
  write_fields(list)
end

-- What a bucket holds of a term after a change, or '' if the term is no longer there.
local function change_in_bucket(term, postings)
  for _, key in ipairs(removals[term] or {}) do postings = without(postings, key) or postings end
  postings = postings .. concat(additions[term])
  if #postings > BUCKET_POSTINGS * POSTING_SIZE then
    removals[term] = nil
    change_fields(term, '\\0\\0\\0\\0', postings, {})
    return ''
  end
  return postings == '' and '' or char(#term, #postings / POSTING_SIZE) .. term .. postings
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

-- The postings of new documents as one text, and a list of those of documents that were there before.
local function new_and_inserted(term)
  local new, inserted = {}, {}
  for _, posting in ipairs(additions[term]) do
    local list = document_at(posting, 1) < first_new and inserted or new
    list[#list + 1] = posting
  end
  return concat(new), inserted
end

local function apply_postings()
  local terms, fields, buckets = {}, {}, {}
  for term in pairs(additions) do terms[#terms + 1] = term end
  each_value(TERMS, terms, function(term, value)
    if value then return change_fields(term, value, new_and_inserted(term)) end
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
