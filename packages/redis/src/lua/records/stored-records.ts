import type { StoredSource } from '@keepsake/core/adapter';
import { STAT } from './index-stats.ts';
import { PENDING_LUA } from './staged-batch.ts';

/*
 * Where records are stored.
 *
 * `records`  The field of a number n holds a group: the records of the eight documents from 8n on. Of each record that exists
 *            the group has its place in the group (1 byte), its length in bytes (2) and the record. A record over 2 KiB is
 *            cut: the rest, its overflow, is in a field named # and its document. The overflow is the content, and the
 *            metadata too if that does not fit. Neither a change of another record nor a search reads it.
 *
 * `ids`      The field of three hexadecimal digits holds a bucket: the ids whose SHA-1 begins with these digits. Of each id
 *            the bucket has the next six digits (6 bytes) and its document (4).
 */

/*
 * A record has a binary header, which scripts read and write, then three lines:
 *
 *   its flags (1 byte), when it was created (8), its version (4), when it was updated (8), when it expires (8), the length of
 *   its id (2), its id
 *
 *   as JSON without brackets: 1 if it is indexed, or 0; thread, index and speaker of its turn; its source. Without what is
 *   missing at the end, and nothing at all for a 1 alone
 *
 *   its metadata as JSON, nothing if it has no fields
 *
 *   its content as JSON without quotes
 *
 * Times are milliseconds since 1970. Version, update and expiry are left out if they are 1, the time of creation, and never.
 */

/** The flags of a record: which optional fields follow, and from `text` on the flags of the text (`RemoteTerms.flags`). */
export const HEADER_FLAG = { version: 1, updated: 2, expires: 4, overflow: 8, text: 16 } as const;

/** Lua: whether flags have one of them. No function, because scripts do this for thousands of records. */
const hasFlag = (flags: string, flag: number) => `${flags} % ${2 * flag} >= ${flag}`;

/** The fields of a source in the order in which the first line has them. */
export const SOURCE_FIELDS = [
  ...(['conversation', 'run', 'speaker', 'kind'] as const),
  ...(['supersedes', 'supersededBy', 'validFrom', 'validUntil'] as const),
] satisfies (keyof StoredSource)[];

/** How many values come before the source in the first line. */
export const FIRST_LINE_SOURCE = 4;

/**
 * Lua: reads records. Needs `NAMESPACE_KEYS_LUA`. Eight records in one field take much less memory than in eight fields.
 *
 * - Reads `RECORDS` and `IDS`, each field once. Staged documents do not exist for it, unless a script raises `visible_end`.
 * - `inline_of(document)` returns a record without its overflow, or nil: all that most scripts need, and cheap for any length.
 * - `full_record(document, inline)` returns the record with its overflow, or nil.
 * - `read_header(record)` returns its header, where the lines begin at `lines_at`. `live_header(record)` returns the same, or
 *   nil if there is no record or it has expired.
 * - `find_record(id)` returns a document, the record without its overflow, and where the id is in its bucket; or nil.
 */
export const STORED_RECORDS_LUA = `${PENDING_LUA}
local known = redis.call('HMGET', STATS, '${STAT.nextDocument}', '${STAT.staged}')
-- Documents from here on are staged. Only scripts that stage look at them.
local visible_end = tonumber(known[1] or 2 ^ 32)
-- Documents from here on are new, or staged.
local first_new = tonumber(known[1] or 0)
-- Whether a batch is committed, and not all of it in its place.
local has_pending = string.find(known[2] or '', ' committed ', 1, true) ~= nil

local GROUP_SIZE, INLINE_LIMIT, ID_SIZE = 8, 2048, 10

local function read_header(record)
  local header = { version = 1, updated = 0, expires = 0 }
  local flags, at, length
  flags, header.created, at = struct.unpack('>Bd', record)
  if ${hasFlag('flags', HEADER_FLAG.version)} then header.version, at = struct.unpack('>I4', record, at) end
  if ${hasFlag('flags', HEADER_FLAG.updated)} then header.updated, at = struct.unpack('>d', record, at) end
  if ${hasFlag('flags', HEADER_FLAG.expires)} then header.expires, at = struct.unpack('>d', record, at) end
  length, at = struct.unpack('>H', record, at)
  header.text_flags = math.floor(flags / ${HEADER_FLAG.text})
  header.id, header.lines_at = string.sub(record, at, at + length - 1), at + length
  return header
end

local function live_header(record)
  local header = record and read_header(record)
  if not header or header.expires > 0 and header.expires <= now then return nil end
  return header
end

-- The groups that this script changes, and the last group that it read.
local changed_groups, last_group, last_number = {}, nil, nil
local function group_of(document)
  local number = math.floor(document / GROUP_SIZE)
  if changed_groups[number] then return changed_groups[number], number end
  if number ~= last_number then last_group, last_number = redis.call('HGET', RECORDS, number) or '', number end
  return last_group, number
end

-- Where in its group a record begins, and where the next one does. Nil if it is not there.
local function find_in_group(group, document)
  local place, at = document % GROUP_SIZE, 1
  while at <= #group do
    local found, high, low = string.byte(group, at, at + 2)
    local after = at + 3 + high * 256 + low
    if found == place then return at, after end
    at = after
  end
end

local function replacement_of(document)
  local pending = redis.call('HGET', PENDING, document)
  local _, _, record = unpack_pending(pending or pack_pending(0, '', ''))
  return record ~= '' and record or nil
end

local function inline_of(document)
  if document >= visible_end then return nil end
  local replacement = has_pending and replacement_of(document)
  if replacement then return replacement end
  local group = group_of(document)
  local at, after = find_in_group(group, document)
  return at and string.sub(group, at + 3, after - 1)
end

local function overflow_field(document)
  return '#' .. document
end

local function has_overflow(inline)
  return ${hasFlag('string.byte(inline)', HEADER_FLAG.overflow)}
end

local function full_record(document, inline)
  if not inline or not has_overflow(inline) then return inline end
  local overflow = redis.call('HGET', RECORDS, overflow_field(document))
  return overflow and inline .. overflow or nil
end

-- The bucket of an id, the field of the bucket, and the six digits of the id in it.
local id_hashes, id_buckets = {}, {}
local function bucket_of_id(id)
  id_hashes[id] = id_hashes[id] or redis.sha1hex(id)
  local field = string.sub(id_hashes[id], 1, 3)
  id_buckets[field] = id_buckets[field] or redis.call('HGET', IDS, field) or ''
  return id_buckets[field], field, string.sub(id_hashes[id], 4, 9)
end

local function find_record(id)
  local bucket, _, digits = bucket_of_id(id)
  local at = string.find(bucket, digits, 1, true)
  while at do
    if at % ID_SIZE == 1 then
      local document = struct.unpack('>I4', bucket, at + 6)
      local inline = inline_of(document)
      if inline and read_header(inline).id == id then return document, inline, at end
    end
    at = string.find(bucket, digits, at + 1, true)
  end
end
`;

/**
 * Lua: changes records. Needs `STORED_RECORDS_LUA` and `HASH_BATCHES_LUA`.
 *
 * - `read_id_buckets(ids)` reads the buckets of many ids from `IDS` in a few calls.
 * - `set_record(document, record)` adds or replaces a record, `add_id(id, document)` adds its id, `drop_record(id)` removes
 *   both. Overflow is written to `RECORDS` at once, all else by `apply_records()`, to `RECORDS` and `IDS`.
 */
export const RECORD_CHANGES_LUA = `
local changed_buckets = {}

local function read_id_buckets(ids)
  local fields = {}
  for n, id in ipairs(ids) do
    id_hashes[id] = redis.sha1hex(id)
    fields[n] = string.sub(id_hashes[id], 1, 3)
  end
  each_value(IDS, fields, function(field, bucket) id_buckets[field] = bucket or '' end)
end

local function write_header(record, overflows)
  local version, updated, expires = record.version, record.updated, record.expires
  local flags = ${HEADER_FLAG.text} * record.text_flags
    + (version > 1 and ${HEADER_FLAG.version} or 0)
    + (updated > 0 and ${HEADER_FLAG.updated} or 0)
    + (expires > 0 and ${HEADER_FLAG.expires} or 0)
    + (overflows and ${HEADER_FLAG.overflow} or 0)
  return struct.pack('>Bd', flags, record.created)
    .. (version > 1 and struct.pack('>I4', version) or '')
    .. (updated > 0 and struct.pack('>d', updated) or '')
    .. (expires > 0 and struct.pack('>d', expires) or '')
    .. struct.pack('>H', #record.id) .. record.id
end

-- Removes the record if \`inline\` is nil.
local function store(document, inline, overflow)
  local group, number = group_of(document)
  local at, after = find_in_group(group, document)
  if overflow then redis.call('HSET', RECORDS, overflow_field(document), overflow)
  elseif at and has_overflow(string.sub(group, at + 3, at + 3)) then
    redis.call('HDEL', RECORDS, overflow_field(document))
  end
  at, after = at or #group + 1, after or #group + 1
  changed_groups[number] = string.sub(group, 1, at - 1)
    .. (inline and struct.pack('>BH', document % GROUP_SIZE, #inline) .. inline or '')
    .. string.sub(group, after)
end

local function set_record(document, record)
  local lines = record.lines
  local whole = write_header(record) .. lines
  if #whole <= INLINE_LIMIT then return store(document, whole) end
  local header_size = #whole - #lines
  local first_line = string.find(lines, '\\n', 1, true)
  local metadata = string.find(lines, '\\n', first_line + 1, true)
  local cut = header_size + metadata <= INLINE_LIMIT and metadata or first_line
  store(document, write_header(record, true) .. string.sub(lines, 1, cut), string.sub(lines, cut + 1))
end

local function set_bucket(field, bucket)
  id_buckets[field], changed_buckets[field] = bucket, true
end

local function add_id(id, document)
  local bucket, field, digits = bucket_of_id(id)
  set_bucket(field, bucket .. digits .. struct.pack('>I4', document))
end

local function drop_record(id)
  local document, _, at = find_record(id)
  store(document, nil)
  local bucket, field = bucket_of_id(id)
  set_bucket(field, string.sub(bucket, 1, at - 1) .. string.sub(bucket, at + ID_SIZE))
end

local function apply_records()
  local write_group, flush_groups = hash_writer(RECORDS)
  for number, group in pairs(changed_groups) do write_group(number, group) end
  flush_groups()
  local write_bucket, flush_buckets = hash_writer(IDS)
  for field in pairs(changed_buckets) do write_bucket(field, id_buckets[field]) end
  flush_buckets()
end
`;
