import { FIRST_LINE_SOURCE, SOURCE_FIELDS } from './stored-records.ts';

/** How much of records one script reads, which takes a server about 10 ms: a record counts 1, and so do `BYTES_PER_PART` bytes of metadata. */
const MOST_PARTS = 1_000;
const BYTES_PER_PART = 500;

/**
 * Lua: reads the parts of records that have fields. Needs `STORED_RECORDS_LUA`.
 *
 * - `read_json(json)` returns a value, in which lone surrogates are the three bytes that UTF-8 would have for them.
 * - `READ_PART[part](document, inline, header)` returns the fields of `metadata`, `time` or `source` of a record by name.
 *   Reads `RECORDS` if the metadata is too long to be in the record itself.
 * - `may_read_more()` tells whether the script may go on, or the server must serve others first. Scripts add 1 to `parts_read` for
 *   each record.
 */
export const RECORD_PARTS_LUA = `
local parts_read = 0
local function may_read_more()
  return parts_read < ${MOST_PARTS}
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
    parts_read = parts_read + #metadata / ${BYTES_PER_PART}
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
`;
