import { luaModule } from '../lua-module.ts';
import { FIELD_VALUES_LUA } from './field-values.ts';
import { STAT } from './index-stats.ts';
import { RECORD_PARTS_LUA } from './record-parts.ts';

/*
 * The fields of filters that an index serves are found by scripts, not by clients: stores with other options can write to the
 * same namespace. A field comes into the index with the first search or list that asks for it, in steps: the statistics
 * `building` have the fields and `built` the first document that is not done. Fields in `fields` are complete. From then on,
 * every change of a record that is done changes the index too.
 */

/**
 * Lua: changes the index of values. Needs `STORED_RECORDS_LUA`, `INDEX_STATS_LUA` and `add_posting` and `drop_posting`.
 *
 * - `complete_fields` and `building_fields` are lists of fields, each as its part and its name.
 * - `each_field_value(fields, number, inline, header, take)` calls `take(term, posting)` for each value that a record has in
 *   these fields.
 * - `add_values(number, record)` adds the values of a document whose record has these `lines`.
 * - `drop_values(number, is_new)` removes those of its record as it is stored. `is_new` tells whether this script added it.
 */
export const FIELD_INDEX_LUA = luaModule(
  ['add_values', 'drop_values', 'each_field_value', 'complete_fields', 'building_fields', 'may_read_more'],
  `${FIELD_VALUES_LUA}${RECORD_PARTS_LUA}
local complete_fields = read_fields_stat(stats['${STAT.fields}'])
local building_fields = read_fields_stat(stats['${STAT.building}'])

local function each_field_value(fields, number, inline, header, take)
  local parts, posting = {}, struct.pack('>I4B', number, 0)
  for _, field in ipairs(fields) do
    local part, name = field[1], field[2]
    parts[part] = parts[part] or READ_PART[part](number, inline, header)
    local term = value_term(part, name, parts[part][name])
    if term then take(term, posting) end
  end
end

local function each_indexed_value(number, inline, header, take)
  if #complete_fields > 0 then each_field_value(complete_fields, number, inline, header, take) end
  if #building_fields > 0 and number < stat('${STAT.built}') then
    each_field_value(building_fields, number, inline, header, take)
  end
end

local function add_values(number, record)
  each_indexed_value(number, record.lines, { lines_at = 1 }, add_posting)
end

local function drop_values(number, is_new)
  if #complete_fields + #building_fields == 0 then return end
  local inline = inline_of(number)
  each_indexed_value(number, inline, read_header(inline), function(term, posting)
    drop_posting(term, posting, is_new)
  end)
end
`,
);
