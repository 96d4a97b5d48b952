import { luaModule } from '../lua-module.ts';
import { FIELD_VALUES_LUA } from './field-values.ts';
import { STAT } from './index-stats.ts';

/**
 * Lua: finds the documents that have a value that a filter requires; see `field-index.ts`. Needs `POSTING_LISTS_LUA`. Reads `STATS`
 * and `TERMS`.
 *
 * - `lacks_fields(json)` tells whether any of these fields is not indexed; '' for no fields.
 * - `rarest_value(rules)` returns the postings of the value that the fewest documents have, as a list with its `size`; nil if
 *   the rules require none that is indexed. Documents of another value may be among them.
 * - `documents_with(list)` returns its documents, four bytes each.
 * - `walk(list, step, previous)` returns a function that returns the next document, nil after the last: from the oldest on for
 *   the step 1, from the newest on for -1, and only what comes after `previous`, unless that is nil.
 */
export const VALUE_DOCUMENTS_LUA = luaModule(
  ['lacks_fields', 'rarest_value', 'documents_with', 'walk'],
  `${FIELD_VALUES_LUA}
local indexed_fields = {}
for _, field in ipairs(read_fields_stat(redis.call('HGET', STATS, '${STAT.fields}'))) do
  indexed_fields[field[1] .. '.' .. field[2]] = true
end

local function lacks_fields(json)
  for _, field in ipairs(read_fields_stat(json)) do
    if not indexed_fields[field[1] .. '.' .. field[2]] then return true end
  end
  return false
end

local function list_of_fields(term, value)
  local list = read_fields(term, value)
  list.size = #list.texts[list.last] / POSTING_SIZE + list.last * FIELD_SIZE / POSTING_SIZE
  return list
end

local function value_list(term)
  local value = redis.call('HGET', TERMS, term)
  if is_split(value) then
    -- All postings of values have the same weight, and so one class.
    local name = class_term(term, read_counts(value)[1])
    return list_of_fields(name, redis.call('HGET', TERMS, name))
  elseif value then
    return list_of_fields(term, value)
  end
  local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
  local at, from, after = find_in_bucket(bucket, term)
  local postings = at and in_order(sub(bucket, from, after - 1)) or ''
  return { last = 0, texts = { [0] = postings }, size = #postings / POSTING_SIZE }
end

local function rarest_value(rules)
  local rarest
  for _, rule in ipairs(rules or {}) do
    local requires_one = rule.operator == 'in' and not rule['not'] and #rule.value == 1
    if requires_one and indexed_fields[rule.part .. '.' .. rule.field] then
      local term = value_term(rule.part, rule.field, rule.value[1])
      local list = value_list(term)
      list.value = term
      if not rarest or list.size < rarest.size then rarest = list end
    end
  end
  return rarest
end

local function documents_with(list)
  local keys = {}
  for number = 0, list.last do
    local text = text_of(list, number)
    for at = 1, #text, POSTING_SIZE do keys[#keys + 1] = sub(text, at, at + 3) end
  end
  return concat(keys)
end

local function walk(list, step, previous)
  local number = previous and field_of(list, previous) or (step == 1 and 0 or list.last)
  local place, count = nil, 0
  return function()
    while number >= 0 and number <= list.last do
      local text = text_of(list, number)
      if not place then
        count = #text / POSTING_SIZE
        place = step == 1 and 1 or count
      end
      while place >= 1 and place <= count do
        local document = document_at(text, (place - 1) * POSTING_SIZE + 1)
        place = place + step
        if not previous or (document - previous) * step > 0 then return document end
      end
      number, place = number + step, nil
    end
  end
end
`,
);
