import { luaModule } from '../lua-module.ts';
import { SPLIT_FIELDS } from './posting-classes.ts';
import { POSTING_FIELDS_LUA } from './posting-fields.ts';
import { POSTING_LISTS_LUA } from './posting-lists.ts';

/**
 * Lua: changes postings. Needs `POSTINGS_LUA`, `HASH_BATCHES_LUA` and `INDEX_STATS_LUA`.
 *
 * - `add_posting(term, posting)` and `drop_posting(term, posting, is_new)` collect changes. `is_new` tells whether this script
 *   added the document.
 * - `apply_postings()` reads and writes `TERMS`.
 */
export const POSTING_CHANGES_LUA = luaModule(
  ['add_posting', 'drop_posting', 'apply_postings'],
  `${POSTING_LISTS_LUA}${POSTING_FIELDS_LUA}
-- The changes by all records of a script: the postings to add for each term that changes, and the documents to remove.
local additions, removals = {}, {}

local function add_posting(term, posting)
  local list = additions[term]
  if list then list[#list + 1] = posting else additions[term] = { posting } end
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
`,
);
