import { FIRST_LINE_SOURCE, SOURCE_FIELDS } from './stored-records.ts';

/** How much one script filters: takes a server about 10 ms. A record counts 1, and so do these bytes of its metadata. */
const FILTER_WORK = 2_000;
const BYTES_PER_WORK = 500;

/**
 * Lua: `matchesFilter` of core, for where the server must filter because it can't send all records. Needs
 * `STORED_RECORDS_LUA`.
 *
 * - `read_rules(json)` returns the rules that `writeRules` wrote, nil for '', and fails for an unknown operator.
 * - `may_filter()` tells whether the script may go on, or the server must serve others first.
 * - `passes(rules, document, inline)` tells whether a record exists and passes the rules. Reads `RECORDS` if the metadata is
 *   too long to be in the record itself.
 */
export const FILTER_LUA = `
local filtered = 0
local function may_filter()
  return filtered < ${FILTER_WORK}
end

-- cjson rejects escapes of lone surrogates, so they become the three bytes that UTF-8 would have for them.
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

local SOURCE_FIELDS = { ${SOURCE_FIELDS.map((field) => `'${field}'`).join(', ')} }

-- The metadata of a record as JSON.
local function metadata_of(document, inline, lines_at)
  local metadata = string.match(inline, '^[^\\n]*\\n([^\\n]*)\\n', lines_at)
  if metadata then return metadata end
  local record = full_record(document, inline)
  return record and string.match(record, '^[^\\n]*\\n([^\\n]*)\\n', lines_at) or ''
end

-- Reads the fields of a part of a record.
local READ_PART = {
  metadata = function(document, inline, header)
    local metadata = metadata_of(document, inline, header.lines_at)
    filtered = filtered + #metadata / ${BYTES_PER_WORK}
    return metadata ~= '' and read_json(metadata) or {}
  end,
  time = function(_, _, header)
    return {
      createdAt = header.created,
      updatedAt = header.updated > 0 and header.updated or header.created,
      expiresAt = header.expires > 0 and header.expires or nil,
    }
  end,
  source = function(_, inline, header)
    local line = read_json('[' .. string.match(inline, '^([^\\n]*)\\n', header.lines_at) .. ']')
    local source = {}
    for n, field in ipairs(SOURCE_FIELDS) do
      local value = line[${FIRST_LINE_SOURCE} + n]
      if value ~= cjson.null then source[field] = value end
    end
    return source
  end,
}

local function passes(rules, document, inline)
  filtered = filtered + 1
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
