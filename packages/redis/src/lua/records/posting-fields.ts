/**
 * Lua: changes the fields of a term that many documents have. Needs `POSTING_LISTS_LUA` and `HASH_BATCHES_LUA`.
 *
 * - `write_fields(list)` writes those that changed. `split_list(list)` writes them as a list for each class instead.
 * - `drop_from_list(list, postings)`, `insert_into_fields(list, posting)` and `add_to_fields(list, postings)` change the list.
 * - `write_term(field, value)` writes to `TERMS`, at the latest with `flush_terms()`.
 */
export const POSTING_FIELDS_LUA = `
local write_term, flush_terms = hash_writer(TERMS)

-- Postings without the one of a document, or nil if it has none.
local function without(postings, key)
  local at = find(postings, key, 1, true)
  while at and (at - 1) % POSTING_SIZE ~= 0 do at = find(postings, key, at + 1, true) end
  return at and sub(postings, 1, at - 1) .. sub(postings, at + POSTING_SIZE)
end

local function key_of(posting)
  return sub(posting, 1, 4)
end

local function set_text(list, number, text)
  list.texts[number], list.changed[number] = text, true
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
`;
