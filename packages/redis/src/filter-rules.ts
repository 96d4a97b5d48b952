import type { FilterRule } from '@keepsake/core';

/** A checked filter for scripts, with times in milliseconds since 1970. '' if it has no rules. */
export function writeRules(rules: readonly FilterRule[]): string {
  return rules.length === 0 ? '' : JSON.stringify(rules.map(inMilliseconds));
}

function inMilliseconds(rule: FilterRule): object {
  if (!rule.time || rule.operator === 'exists') return rule;
  const { value } = rule;
  return { ...rule, value: Array.isArray(value) ? value.map(toTime) : toTime(value) };
}

function toTime(value: unknown): number {
  return Date.parse(String(value));
}

/**
 * Lua: `read_rules` reads what {@link writeRules} wrote, and `passes` says whether a record exists and passes the rules. It
 * is `matchesFilter` for where the server must filter, because it can't send all records.
 */
export const FILTER_LUA = `
-- Escapes of lone surrogates become the three bytes that UTF-8 would have for them: cjson rejects the escapes.
local function read_json(json)
  if string.find(json, '\\\\ud', 1, true) then
    json = string.gsub(json, '\\\\(.)(%x*)', function(kind, digits)
      local unit = kind == 'u' and tonumber(string.sub(digits, 1, 4), 16)
      if not unit or unit < 0xD800 or unit > 0xDFFF then return nil end
      return string.char(0xED, 0x80 + math.floor(unit / 64) % 64, 0x80 + unit % 64) .. string.sub(digits, 5)
    end)
  end
  return cjson.decode(json)
end

local function read_rules(json)
  return json ~= '' and read_json(json) or nil
end

-- Below, at or above 0. Compares bytes, which in UTF-8 is the order of code points: \`<\` follows the server's locale.
local function order(one, other)
  if type(one) == 'number' then return one - other end
  for at = 1, math.min(#one, #other) do
    local difference = string.byte(one, at) - string.byte(other, at)
    if difference ~= 0 then return difference end
  end
  return #one - #other
end

local function holds(rule, value)
  local operator, wanted = rule.operator, rule.value
  if operator == 'exists' then return (value ~= nil) == wanted end
  if value == nil then return false end
  if operator == 'eq' then return value == wanted end
  if operator == 'in' then
    for _, one in ipairs(wanted) do
      if value == one then return true end
    end
    return false
  end
  if type(value) ~= type(wanted) then return false end
  local ordered = order(value, wanted)
  if operator == 'gt' then return ordered > 0 end
  if operator == 'gte' then return ordered >= 0 end
  if operator == 'lt' then return ordered < 0 end
  return ordered <= 0
end

-- The metadata of a record as JSON. It is in the front of the record, unless it is long.
local function metadata_of(document, front, rest)
  local metadata = string.match(front, '^[^\\n]*\\n([^\\n]*)\\n', rest)
  if metadata then return metadata end
  local stored = whole(document, front)
  return stored and string.match(stored, '^[^\\n]*\\n([^\\n]*)\\n', rest) or ''
end

local function passes(rules, document, front)
  local fields = head(front)
  if not fields then return false end
  if #rules == 0 then return true end
  local metadata = metadata_of(document, front, fields.rest)
  local data = metadata ~= '' and read_json(metadata) or {}
  local times = {
    createdAt = fields.created,
    updatedAt = fields.updated > 0 and fields.updated or fields.created,
    expiresAt = fields.expires > 0 and fields.expires or nil,
  }
  for _, rule in ipairs(rules) do
    local value = data[rule.field]
    if rule.time then value = times[rule.field] end
    if not holds(rule, value) then return false end
  end
  return true
end
`;
