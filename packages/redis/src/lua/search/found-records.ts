/**
 * Lua: reads what a search needs of records, each document once. Needs `STORED_RECORDS_LUA` and `FILTER_LUA`.
 *
 * - `turn_of(inline, header)` returns the first line of a record as a list, if the record is a turn: 1, its thread, its index
 *   and its speaker.
 * - `time_of(inline, header)` returns when a turn was said, or when another record last changed.
 * - `may_be_found(document, rules)` tells whether a document exists and passes the rules.
 */
export const FOUND_RECORDS_LUA = `
local function turn_of(inline, header)
  local turn = cjson.decode('[' .. string.match(inline, '^[^\\n]*', header.lines_at) .. ']')
  return type(turn[2]) == 'string' and turn or nil
end

local function time_of(inline, header)
  -- The first line of a turn has its thread after one digit and a comma.
  local is_turn = string.sub(inline, header.lines_at + 1, header.lines_at + 2) == ',"'
  if is_turn or header.version == 1 or header.updated == 0 then return header.created end
  return header.updated
end

local passing = {}
local function may_be_found(document, rules)
  if passing[document] == nil then
    local inline = inline_of(document)
    passing[document] = inline and passes(rules, document, inline) or false
  end
  return passing[document]
end
`;
