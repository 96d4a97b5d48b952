/**
 * Lua: which documents have a value in a field of a filter, for the fields that an index serves. A value is a term among
 * those of the texts: its postings have the weight 0, and its name is a byte that no term of a text begins with, then digits
 * of a hash. Documents of another value may be among them, because hashes are short.
 *
 * - `value_term(part, field, value)` returns the term, or nil for what equals no operand of a filter: a missing field, a list
 *   or an object. A number that was read from JSON has the same term however it was written.
 * - `read_fields_stat(json)` returns fields that the statistics name, each as its part and its name.
 */
export const FIELD_VALUES_LUA = `
local VALUE_DIGITS = 16

local function value_term(part, field, value)
  local kind, key = type(value), nil
  if kind == 'string' then key = 's' .. value
  elseif kind == 'number' then key = 'n' .. string.format('%.17g', value + 0)
  elseif kind == 'boolean' or value == cjson.null then key = 'o' .. tostring(value)
  else return nil end
  return '\\2' .. string.sub(redis.sha1hex(part .. '\\0' .. field .. '\\0' .. key), 1, VALUE_DIGITS)
end

local function read_fields_stat(json)
  return json and json ~= '' and cjson.decode(json) or {}
end
`;
