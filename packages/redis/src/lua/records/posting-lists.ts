/**
 * Lua: reads the fields of a term that many documents have, as a list whose fields are read when they are needed. Needs
 * `POSTINGS_LUA`. Reads `TERMS`.
 *
 * - `read_fields(term, value)` returns the list, and `text_of(list, number)` the postings of a field, counted from 0.
 * - `document_at(text, at)` returns the document of the posting that begins at a byte. `by_document` compares two postings by
 *   their documents, and `in_order(postings)` returns postings in this order.
 * - `field_of(list, document)` returns the field in which a document is, or belongs.
 *   `search_sorted` returns a place in a list in the order of documents.
 */
export const POSTING_LISTS_LUA = `
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

local function by_document(one, other)
  return document_at(one, 1) < document_at(other, 1)
end

local function in_order(postings)
  local list = {}
  for at = 1, #postings, POSTING_SIZE do list[#list + 1] = sub(postings, at, at + 4) end
  table.sort(list, by_document)
  return concat(list)
end
`;
