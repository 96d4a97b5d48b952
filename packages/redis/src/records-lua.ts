/*
 * Where records are stored: the hash `records`, and the hash `ids`, which maps ids to documents.
 *
 * records   a number n: the records of the eight documents from 8n on. Of each that exists its place among them (1), its
 *           length in bytes (2), and the record itself, see `stored-record.ts`. Of a record over 2 KiB the content is apart,
 *           in a field named # and its document, and so is metadata that does not fit into 2 KiB with the head: neither a
 *           change of another record nor a search reads it.
 *
 * ids       the first three digits of SHA-1: a bucket of the ids with that hash. Of each the next six digits (6), and its
 *           document (4).
 */

/** Reads records. Eight records in one field take much less memory than in fields of their own. */
export const RECORDS_LUA = `
local GROUP, LONG, ID = 8, 2048, 10

-- The head of a stored record. Its lines begin at \`rest\`.
local function read_head(stored)
  local fields = { version = 1, updated = 0, expires = 0 }
  local what, at, length
  what, fields.created, at = struct.unpack('>Bd', stored)
  if what % 2 >= 1 then fields.version, at = struct.unpack('>I4', stored, at) end
  if what % 4 >= 2 then fields.updated, at = struct.unpack('>d', stored, at) end
  if what % 8 >= 4 then fields.expires, at = struct.unpack('>d', stored, at) end
  length, at = struct.unpack('>H', stored, at)
  fields.flags = math.floor(what / 16)
  fields.id, fields.rest = string.sub(stored, at, at + length - 1), at + length
  return fields
end

-- The same, or nil if there is no record or it has expired.
local function head(stored)
  local fields = stored and read_head(stored)
  if not fields or fields.expires > 0 and fields.expires <= now then return nil end
  return fields
end

-- The groups that this script changes, and the last group that it read.
local changed, last, last_number = {}, nil, nil
local function group_of(document)
  local number = math.floor(document / GROUP)
  if changed[number] then return changed[number], number end
  if number ~= last_number then last, last_number = redis.call('HGET', RECORDS, number) or '', number end
  return last, number
end

-- Where in its group a record begins, and where the next one does. Nil if it is not there.
local function find_in_group(group, document)
  local place, at = document % GROUP, 1
  while at <= #group do
    local found, high, low = string.byte(group, at, at + 2)
    local after = at + 3 + high * 256 + low
    if found == place then return at, after end
    at = after
  end
end

local function is_apart(front)
  return string.byte(front) % 16 >= 8
end

-- A record without what is stored apart, or nil. This is all that most scripts need, and as cheap for long records.
local function front_of(document)
  local group = group_of(document)
  local at, after = find_in_group(group, document)
  return at and string.sub(group, at + 3, after - 1)
end

-- A whole record, or nil. \`front\` is what \`front_of\` gives.
local function whole(document, front)
  if not front or not is_apart(front) then return front end
  local apart = redis.call('HGET', RECORDS, '#' .. document)
  return apart and front .. apart or nil
end

-- The bucket of an id, its name, and how the bucket names the id.
local hashes, buckets = {}, {}
local function bucket_of_id(id)
  hashes[id] = hashes[id] or redis.sha1hex(id)
  local name = string.sub(hashes[id], 1, 3)
  buckets[name] = buckets[name] or redis.call('HGET', IDS, name) or ''
  return buckets[name], name, string.sub(hashes[id], 4, 9)
end

-- The document of an id, the front of its record, and where in its bucket the id is. Nil if there is none.
local function find_record(id)
  local bucket, _, hash = bucket_of_id(id)
  local at = string.find(bucket, hash, 1, true)
  while at do
    if at % ID == 1 then
      local document = struct.unpack('>I4', bucket, at + 6)
      local front = front_of(document)
      if front and read_head(front).id == id then return document, front, at end
    end
    at = string.find(bucket, hash, at + 1, true)
  end
end
`;

/** Changes records. `apply_records` writes the changes. */
export const RECORD_CHANGES_LUA = `
local changed_buckets = {}

local function write_head(record, apart)
  local version, updated, expires = record.version, record.updated, record.expires
  local what = (version > 1 and 1 or 0) + (updated > 0 and 2 or 0) + (expires > 0 and 4 or 0)
    + (apart and 8 or 0) + 16 * record.flags
  return struct.pack('>Bd', what, record.created)
    .. (version > 1 and struct.pack('>I4', version) or '')
    .. (updated > 0 and struct.pack('>d', updated) or '')
    .. (expires > 0 and struct.pack('>d', expires) or '')
    .. struct.pack('>H', #record.id) .. record.id
end

-- Reads the buckets of many ids in a few calls.
local function read_buckets(ids)
  local names = {}
  for n, id in ipairs(ids) do
    hashes[id] = redis.sha1hex(id)
    names[n] = string.sub(hashes[id], 1, 3)
  end
  each_value(IDS, names, function(name, bucket) buckets[name] = bucket or '' end)
end

-- Removes the record if \`front\` is nil.
local function set_stored(document, front, apart)
  local group, number = group_of(document)
  local at, after = find_in_group(group, document)
  if apart then redis.call('HSET', RECORDS, '#' .. document, apart)
  elseif at and is_apart(string.sub(group, at + 3, at + 3)) then redis.call('HDEL', RECORDS, '#' .. document) end
  at, after = at or #group + 1, after or #group + 1
  changed[number] = string.sub(group, 1, at - 1)
    .. (front and struct.pack('>BH', document % GROUP, #front) .. front or '')
    .. string.sub(group, after)
end

local function set_record(document, record)
  local lines = record.lines
  local short = write_head(record) .. lines
  if #short <= LONG then return set_stored(document, short) end
  local size = #short - #lines
  local told = string.find(lines, '\\n', 1, true)
  local metadata = string.find(lines, '\\n', told + 1, true)
  local cut = size + metadata <= LONG and metadata or told
  set_stored(document, write_head(record, true) .. string.sub(lines, 1, cut), string.sub(lines, cut + 1))
end

local function set_bucket(name, bucket)
  buckets[name], changed_buckets[name] = bucket, true
end

local function add_id(id, document)
  local bucket, name, hash = bucket_of_id(id)
  set_bucket(name, bucket .. hash .. struct.pack('>I4', document))
end

local function drop_record(id)
  local document, _, at = find_record(id)
  set_stored(document, nil)
  local bucket, name = bucket_of_id(id)
  set_bucket(name, string.sub(bucket, 1, at - 1) .. string.sub(bucket, at + ID))
end

local function apply_records()
  local write_group, flush_groups = setter(RECORDS)
  for number, group in pairs(changed) do write_group(number, group) end
  flush_groups()
  local write_bucket, flush_buckets = setter(IDS)
  for name in pairs(changed_buckets) do write_bucket(name, buckets[name]) end
  flush_buckets()
end
`;
