import { layout } from '../layout.ts';
import { STAT } from './index-stats.ts';
import { POSTING_CLASSES_LUA } from './posting-classes.ts';

/*
 * Which documents hold which terms: the hash `terms`.
 *
 * The field of NUL and two bytes, or four digits for values, holds a bucket: the terms with the same hash that few documents
 * have. Of each term the bucket has its length in bytes (1 byte), the number of its postings (1), the term, and its postings.
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
 *   list with these `texts`, or, without reading them, with the `term`, its `classes` and their `counts` if it is split. Then
 *   postings of staged documents are not counted, and must not be read: they come last.
 * - `bucket_of(term)` returns the field of its bucket. `find_in_bucket(bucket, term)` returns where the term begins there,
 *   where its postings do and where the next term does; or nil.
 */
export const POSTINGS_LUA = `${POSTING_CLASSES_LUA}
local byte, char, find, sub = string.byte, string.char, string.find, string.sub
local concat, insert = table.concat, table.insert
-- With what Redis keeps before it, a full field fills 1 KiB.
local POSTING_SIZE, BUCKET_POSTINGS, FIELD_SIZE = ${POSTING.size}, 8, ${202 * POSTING.size}

local function bucket_of(term)
  -- Every record can have another value, so values have more buckets.
  if byte(term) == 2 then return '\\0' .. sub(term, 2, 5) end
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

-- How many postings of a class are of staged documents, which come last.
local function count_staged(term, class)
  local name = class_term(term, class)
  local value, count = redis.call('HGET', TERMS, name) or '\\0\\0\\0\\0', 0
  local text, number = sub(value, 5), struct.unpack('>I4', value)
  while true do
    if text ~= '' and sub(text, 1, 4) < staged_key then
      return count + (#text - #without_staged({ text })[1]) / POSTING_SIZE
    end
    count, number = count + #text / POSTING_SIZE, number - 1
    if number < 0 then return count end
    text = redis.call('HGET', TERMS, name .. '\\0' .. number) or ''
  end
end

local function list_of(term)
  local last, texts = redis.call('HGET', TERMS, term), nil
  if is_split(last) then
    local size, classes, counts = 0, read_counts(last)
    for _, class in ipairs(classes) do
      if staged_key then counts[class] = counts[class] - count_staged(term, class) end
      size = size + counts[class]
    end
    return { term = term, classes = classes, counts = counts }, size
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
  return list.texts or without_staged(texts_of_classes(term, list.classes)), size
end
`;
