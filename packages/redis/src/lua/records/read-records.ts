import { reading } from '../../client/script.ts';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { FILTER_LUA } from './filter.ts';
import { STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA } from './namespace-keys.ts';
import { POSTING_LISTS_LUA } from './posting-lists.ts';
import { POSTINGS_LUA } from './postings.ts';
import { REPLY } from './replies.ts';
import { STORED_RECORDS_LUA } from './stored-records.ts';
import { VALUE_DOCUMENTS_LUA } from './value-documents.ts';

/** Lua: the number of records that have not expired. Needs `NAMESPACE_KEYS_LUA`; reads `STATS` and `EXPIRY`. */
export const COUNT_LUA = `
local function count_records()
  return (redis.call('HGET', STATS, '${STAT.records}') or 0) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
end
`;

/** A record by its id, the only argument. -> `[document, record]`, or `[]` if there is none. */
export const GET = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
local document, inline = find_record(ARGV[1])
local record = live_header(inline) and full_record(document, inline)
return record and { document, record } or {}
`);

/** The records of the documents that are the arguments. -> `[document, record, …]`, without those that are gone. */
export const FETCH = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
local found = {}
for _, document in ipairs(ARGV) do
  local inline = inline_of(tonumber(document))
  local record = live_header(inline) and full_record(document, inline)
  if record then
    found[#found + 1] = tonumber(document)
    found[#found + 1] = record
  end
end
return found
`);

/** Expired records, at most as many as the argument says. -> `[document, record, …]` */
export const EXPIRED = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
local expired = {}
for _, document in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local record = full_record(document, inline_of(tonumber(document)))
  if record then
    expired[#expired + 1] = tonumber(document)
    expired[#expired + 1] = record
  end
end
return expired
`);

/** The number of records. */
export const COUNT = reading(`${NAMESPACE_KEYS_LUA}${COUNT_LUA}
return count_records()
`);

/** The reply of `LIST`, before the documents and records that it found. */
export type ListReply = [
  /** When the namespace was created. */
  created: Buffer,
  /** The last document that was looked at. */
  last: number,
  /** 1 if no document follows. */
  isEnd: number,
  ...found: (number | Buffer)[],
];

/**
 * Reads on in the order of creation.
 *
 * ARGV: `newest` or `oldest`; when the namespace was created and the last document, both from the reply before ('' at first);
 * how many documents to look at, at most; how many records to find; a filter as JSON, or ''; the fields that must be indexed as
 * JSON, or ''; the prefixes that ids may have, as `packedPrefixes` returns them, none for all ids.
 *
 * -> {@link ListReply}, or the {@link REPLY} `fields`
 */
export const LIST = reading(`${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${STORED_RECORDS_LUA}${FILTER_LUA}${POSTINGS_LUA}
${POSTING_LISTS_LUA}${VALUE_DOCUMENTS_LUA}
local step = take() == 'newest' and -1 or 1
local created, previous, documents, limit = take(), take_number(), take_number(), take_number()
local rules, wanted_fields, prefixes = read_rules(take()) or {}, take(), take_list()
local function has_prefix(inline)
  if #prefixes == 0 then return true end
  local id = read_header(inline).id
  for _, prefix in ipairs(prefixes) do
    if string.sub(id, 1, #prefix) == prefix then return true end
  end
  return false
end
local stats = redis.call('HMGET', STATS, '${STAT.created}', '${STAT.firstDocument}', '${STAT.nextDocument}')
if not stats[1] then return { '0', 0, 1 } end
local first, last = tonumber(stats[2] or 0), tonumber(stats[3]) - 1
if first <= last and lacks_fields(wanted_fields) then return { '${REPLY.fields}' } end
-- If the namespace was emptied since, all of its records are newer than those of the reply before.
if previous and created ~= stats[1] then
  if step == -1 then return { stats[1], 0, 1 } end
  previous = nil
end

-- Returns all documents one after the other, as \`walk\` does those of a value.
local function walk_all()
  local document = previous and previous + step or (step == 1 and first or last)
  if step == 1 then document = math.max(document, first) end
  return function()
    local current = document
    document = document + step
    if current >= first and current <= last then return current end
  end
end

local value = rarest_value(rules)
local next_document = value and walk(value, step, previous) or walk_all()
local reply, found, document = { stats[1], previous or -1, 0 }, 0, next_document()
while document and documents > 0 and found < limit and may_read_more() do
  local inline = inline_of(document)
  local is_listed = inline and has_prefix(inline) and passes(rules, document, inline)
  local record = is_listed and full_record(document, inline)
  if record then
    reply[#reply + 1] = document
    reply[#reply + 1] = record
    found = found + 1
  end
  reply[2], documents, document = document, documents - 1, next_document()
end
if not document then reply[3] = 1 end
return reply
`);
