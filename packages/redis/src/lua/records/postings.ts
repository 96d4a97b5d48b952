import { layout } from '../layout.ts';
import { STAT } from './index-stats.ts';
import { POSTING_CLASSES_LUA, SPLIT_FIELDS } from './posting-classes.ts';

/*
 * Which documents hold which terms: the hash `terms`.
 *
 * The field of NUL and two bytes holds a bucket: the terms with the same hash that few documents have. Of each term the
 * bucket has its length in bytes (1 byte), the number of its postings (1), the term, and its postings.
 *
 * A term that more documents have has a field of its own: how many other fields its postings are in (4), and the last
 * postings. The other fields are named by the term, NUL and a number from 0 on, so that adding a document costs the same
 * however long the list is. These postings are in the order of their documents. A term that thousands of documents have is
 * split, see `posting-classes.ts`.
 */

/** A document, and the frequency of the term in it with its length, as `quantizedFrequency` of `@keepsake/search`. */
export const POSTING = layout({ document: 'I4', weight: 'B' });

/**
 * Lua: reads postings. Needs `NAMESPACE_KEYS_LUA`.
 *
 * - Reads `TERMS`, without the postings of staged documents.
 * - `field_texts(term, last)` returns the postings of a term that has a field of its own, which has the value `last`.
 * - `postings_of(term)` returns the postings of a term as a list of texts, and their number. `list_of(term)` returns them as a
 *   list with these `texts`, or, without reading them, with the `term`, its `classes` and their `counts` if it is split.
 * - `bucket_of(term)` returns the field of its bucket. `find_in_bucket(bucket, term)` returns where the term begins there,
 *   where its postings do and where the next term does; or nil.
 */
export const POSTINGS_LUA = `${POSTING_CLASSES_LUA}
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

local function field_texts(term, last)
  local texts = { sub(last, 5) }
  for other = 0, struct.unpack('>I4', last) - 1 do
    texts[#texts + 1] = redis.call('HGET', TERMS, term .. '\\0' .. other) or ''
  end
  return texts
end

local function texts_of_classes(term, classes)
  local texts = {}
  for _, class in ipairs(classes) do
    local name = class_term(term, class)
    for _, text in ipairs(field_texts(name, redis.call('HGET', TERMS, name) or '\\0\\0\\0\\0')) do
      texts[#texts + 1] = text
    end
  end
  return texts
end

local function list_of(term)
  local last, texts = redis.call('HGET', TERMS, term), nil
  if is_split(last) then
    local classes, counts = read_counts(last)
    if not staged_key then
      local size = 0
      for _, count in pairs(counts) do size = size + count end
      return { term = term, classes = classes, counts = counts }, size
    end
    texts = texts_of_classes(term, classes)
  elseif last then
    texts = field_texts(term, last)
  else
    local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
    local at, from, after = find_in_bucket(bucket, term)
    texts = at and { sub(bucket, from, after - 1) } or {}
  end
  texts = without_staged(texts)
  return { texts = texts }, size_of(texts)
end

local function postings_of(term)
  local list, size = list_of(term)
  return list.texts or texts_of_classes(term, list.classes), size
end
`;

/**
 * Lua: changes postings. Needs `POSTINGS_LUA`, `HASH_BATCHES_LUA` and `INDEX_STATS_LUA`.
 *
 * - `add_posting(term, posting)` and `drop_posting(term, posting, is_new)` collect changes. `is_new` tells whether this script
 *   added the document.
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

local function key_of(posting)
  return sub(posting, 1, 4)
end

local function drop_posting(term, posting, is_new)
  local list = additions[term] or {}
  -- The postings of a new document are not written yet.
  if is_new then
    for at, added in ipairs(list) do
      if key_of(added) == key_of(posting) then return table.remove(list, at) end
    end
  end
  additions[term], removals[term] = list, removals[term] or {}
  insert(removals[term], posting)
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

-- Searches in both directions from where the posting belongs. Returns whether it was there.
local function drop_from_fields(list, key)
  local likely = field_of(list, document_at(key, 1))
  for distance = 0, list.last do
    for _, number in ipairs({ likely - distance, likely + distance }) do
      local left = number >= 0 and number <= list.last and without(text_of(list, number), key)
      if left then
        set_text(list, number, left)
        return true
      end
    end
  end
  return false
end

-- Makes two fields of one that is full.
local function halve_field(list, number)
  for later = list.last, number + 1, -1 do set_text(list, later + 1, text_of(list, later)) end
  local text = text_of(list, number)
  local half = math.floor(#text / POSTING_SIZE / 2) * POSTING_SIZE
  set_text(list, number, sub(text, 1, half))
  set_text(list, number + 1, sub(text, half + 1))
  list.last = list.last + 1
end

-- Adds the posting of a document that was there before to where it belongs.
local function insert_into_fields(list, posting)
  local document = document_at(posting, 1)
  local number = field_of(list, document)
  local text = text_of(list, number)
  local before = search_sorted(0, #text / POSTING_SIZE, document, function(n)
    return document_at(text, (n - 1) * POSTING_SIZE + 1)
  end)
  local at = before * POSTING_SIZE
  set_text(list, number, sub(text, 1, at) .. posting .. sub(text, at + 1))
  if #text >= 2 * FIELD_SIZE then halve_field(list, number) end
end

-- For many documents, one pass through all fields takes less time than a search for each.
local function drop_many_from_fields(list, postings)
  local dropped = {}
  for _, posting in ipairs(postings) do dropped[key_of(posting)] = true end
  for number = 0, list.last do
    local text, parts, from = text_of(list, number), {}, 1
    for at = 1, #text, POSTING_SIZE do
      local key = sub(text, at, at + 3)
      if dropped[key] then
        dropped[key] = nil
        parts[#parts + 1] = sub(text, from, at - 1)
        from = at + POSTING_SIZE
      end
    end
    if from > 1 then set_text(list, number, concat(parts) .. sub(text, from)) end
  end
  local missing = {}
  for key in pairs(dropped) do missing[#missing + 1] = key end
  return missing
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

-- Returns the keys that should go and were not there.
local function drop_from_list(list, postings)
  if #postings > 5 * (list.last + 1) then return drop_many_from_fields(list, postings) end
  local missing = {}
  for _, posting in ipairs(postings) do
    if not drop_from_fields(list, key_of(posting)) then missing[#missing + 1] = key_of(posting) end
  end
  return missing
end

local function by_document(one, other)
  return document_at(one, 1) < document_at(other, 1)
end

-- Writes the postings of a list into one list for each class.
local function split_list(list)
  local parts, counts = {}, {}
  for number = 0, list.last do
    local text = text_of(list, number)
    for at = 1, #text, POSTING_SIZE do
      local class = CLASS_OF[byte(text, at + 4)]
      parts[class] = parts[class] or {}
      insert(parts[class], sub(text, at, at + 4))
    end
  end
  for number = 0, list.before - 1 do redis.call('HDEL', TERMS, list.term .. '\\0' .. number) end
  for class, postings in pairs(parts) do
    counts[class] = #postings
    table.sort(postings, by_document)
    local of_class = read_fields(class_term(list.term, class), '\\0\\0\\0\\0')
    add_to_fields(of_class, concat(postings))
    write_fields(of_class)
  end
  write_term(list.term, write_counts(counts))
end

-- Returns the keys that should go and were not there.
local function change_fields(term, value, postings, inserted, splits)
  local dropped = removals[term]
  -- Most changes only append to a field that has room.
  if not dropped and #inserted == 0 and #value + #postings <= FIELD_SIZE + 4 then
    write_term(term, value .. postings)
    return {}
  end
  local list = read_fields(term, value)
  local missing = dropped and drop_from_list(list, dropped) or {}
  for _, posting in ipairs(inserted) do insert_into_fields(list, posting) end
  add_to_fields(list, postings)
  if splits and list.last >= ${SPLIT_FIELDS} then split_list(list) else write_fields(list) end
  return missing
end

local function in_order(postings)
  local list = {}
  for at = 1, #postings, POSTING_SIZE do list[#list + 1] = sub(postings, at, at + 4) end
  table.sort(list, by_document)
  return concat(list)
end

-- What a bucket holds of a term after a change, or '' if the term is no longer there.
local function change_in_bucket(term, postings)
  for _, posting in ipairs(removals[term] or {}) do postings = without(postings, key_of(posting)) or postings end
  postings = postings .. concat(additions[term])
  if #postings > BUCKET_POSTINGS * POSTING_SIZE then
    removals[term] = nil
    change_fields(term, '\\0\\0\\0\\0', in_order(postings), {}, true)
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
local function new_and_inserted(added)
  local new, inserted, is_sorted = {}, {}, true
  for _, posting in ipairs(added) do
    local list = document_at(posting, 1) < first_new and inserted or new
    if list == new and #new > 0 and by_document(posting, new[#new]) then is_sorted = false end
    list[#list + 1] = posting
  end
  if not is_sorted then table.sort(new, by_document) end
  return concat(new), inserted
end

local function change_class(term, class, added, dropped)
  local name = class_term(term, class)
  removals[name] = #dropped > 0 and dropped or nil
  return change_fields(name, redis.call('HGET', TERMS, name) or '\\0\\0\\0\\0', new_and_inserted(added))
end

-- A text that another version of Unicode splits into other words can have another length, and so another class.
local function drop_from_other_classes(term, counts, own, keys)
  for _, key in ipairs(keys) do
    for class, count in pairs(counts) do
      if class ~= own and count > 0 and #change_class(term, class, {}, { key }) == 0 then
        flush_terms()
        counts[class] = count - 1
        break
      end
    end
  end
end

local function change_classes(term, value)
  local _, counts = read_counts(value)
  local added, dropped, changed = {}, {}, {}
  for _, posting in ipairs(additions[term]) do
    local class = CLASS_OF[byte(posting, 5)]
    added[class], changed[class] = added[class] or {}, true
    insert(added[class], posting)
  end
  for _, posting in ipairs(removals[term] or {}) do
    local class = CLASS_OF[byte(posting, 5)]
    dropped[class], changed[class] = dropped[class] or {}, true
    insert(dropped[class], posting)
  end
  local missing = {}
  for class in pairs(changed) do
    local plus, minus = added[class] or {}, dropped[class] or {}
    missing[class] = change_class(term, class, plus, minus)
    counts[class] = (counts[class] or 0) + #plus - #minus + #missing[class]
  end
  for class, keys in pairs(missing) do
    if #keys > 0 then
      flush_terms()
      drop_from_other_classes(term, counts, class, keys)
    end
  end
  write_term(term, write_counts(counts))
end

local function apply_postings()
  local terms, fields, buckets, split = {}, {}, {}, {}
  for term in pairs(additions) do terms[#terms + 1] = term end
  each_value(TERMS, terms, function(term, value)
    if is_split(value) then
      split[term] = value
      return
    end
    if value then
      local new, inserted = new_and_inserted(additions[term])
      return change_fields(term, value, new, inserted, true)
    end
    local field = bucket_of(term)
    if not buckets[field] then
      fields[#fields + 1], buckets[field] = field, {}
    end
    insert(buckets[field], term)
  end)
  each_value(TERMS, fields, function(field, bucket) change_bucket(field, bucket or '', buckets[field]) end)
  for term, value in pairs(split) do change_classes(term, value) end
  flush_terms()
end
`;
