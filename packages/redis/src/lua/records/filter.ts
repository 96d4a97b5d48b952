import { RECORD_PARTS_LUA } from './record-parts.ts';

/**
 * Lua: `matchesFilter` of core, for where the server must filter because it can't send all records. Needs
 * `STORED_RECORDS_LUA`.
 *
 * - `read_rules(json)` returns the rules that `writeRules` wrote, nil for '', and fails for an unknown operator.
 * - `passes(rules, document, inline)` tells whether a record exists and passes the rules. Reads `RECORDS` if the metadata is
 *   too long to be in the record itself.
 */
export const FILTER_LUA = `${RECORD_PARTS_LUA}
-- Below, at or above 0. Compares bytes, which in UTF-8 is the order of code points: \`<\` follows the server's locale.
local function compare(one, other)
  if type(one) == 'number' then return one - other end
  for at = 1, math.min(#one, #other) do
    local difference = string.byte(one, at) - string.byte(other, at)
    if difference ~= 0 then return difference end
  end
  return #one - #other
end

local function comparison(in_range)
  return function(value, operand)
    return type(value) == type(operand) and in_range(compare(value, operand))
  end
end

-- By operator, whether a value passes. The value of a missing field is nil; null is a value.
local OPERATORS = {
  exists = function(value) return value ~= nil end,
  gt = comparison(function(order) return order > 0 end),
  gte = comparison(function(order) return order >= 0 end),
  lt = comparison(function(order) return order < 0 end),
  lte = comparison(function(order) return order <= 0 end),
}
OPERATORS['in'] = function(value, operand)
  for _, one in ipairs(operand) do
    if value == one then return true end
  end
  return false
end

local function read_rules(json)
  if json == '' then return nil end
  local rules = read_json(json)
  for _, rule in ipairs(rules) do
    if not OPERATORS[rule.operator] then error('unknown filter operator "' .. tostring(rule.operator) .. '"') end
  end
  return rules
end

local function passes(rules, document, inline)
  parts_read = parts_read + 1
  local header = live_header(inline)
  if not header then return false end
  local parts = {}
  for _, rule in ipairs(rules) do
    local fields = parts[rule.part] or READ_PART[rule.part](document, inline, header)
    parts[rule.part] = fields
    if OPERATORS[rule.operator](fields[rule.field], rule.value) == rule['not'] then return false end
  end
  return true
end
`;
