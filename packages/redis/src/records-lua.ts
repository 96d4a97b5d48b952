/*
 * Where records lie: the hash `records`, and the hash `ids`, which says which document an id is.
 *
 * records   a number: the records of eight documents that follow one another, the first of which is that number times eight.
 *           Of each that is there its place among them (1), its length in bytes (2), and itself, see `stored-record.ts`.
 *           One that is long has a length of 0, and is under # and its document: nothing of that size is to be moved when
 *           another record changes.
 *
 * ids       the first three digits of SHA-1: a bucket of the ids that begin so. Of each the next six digits (6), and its
 *           document (4).
 */

/** Reads records. A group of them takes a good part of the memory that each would take by itself. */
export const RECORDS_LUA = `
local GROUP, LONG, ID = 8, 2048, 10

-- The head of a stored record; \`rest\` is where the lines begin.
local function read_head(stored)
  local fields = { version = 1, updated = 0, expires = 0 }
  local what, at, length
  what, fields.created, at = struct.unpack('>Bd', stored)
  if what % 2 >= 1 then fields.version, at = struct.unpack('>I4', stored, at) end
  if what % 4 >= 2 then fields.updated, at = struct.unpack('>d', stored, at) end
  if what % 8 >= 4 then fields.expires, at = struct.unpack('>d', stored, at) end
  length, at = struct.unpack('>H', stored, at)
  fields.id, fields.rest = string.sub(stored, at, at + length - 1), at + length
  return fields
end

-- The same; nil where there is no record, or no more.
local function head(stored)
  local fields = stored and read_head(stored)
  if not fields or fields.expires > 0 and fields.expires <= now then return nil end
  return fields
end

-- Groups that a script changes, and the one that was read last.
local changed, last, last_number = {}, nil, nil
local function group_of(document)
  local number = math.floor(document / GROUP)
  if changed[number] then return changed[number], number end
  if number ~= last_number then last, last_number = redis.call('HGET', RECORDS, number) or '', number end
  return last, number
end

-- Where in a group the record of a document is, and where the next one; nil where it is not there.
local function find_in_group(group, document)
  local place, at = document % GROUP, 1
  while at <= #group do
    local found, high, low = string.byte(group, at, at + 2)
    local after = at + 3 + high * 256 + low
    if found == place then return at, after end
    at = after
  end
end

-- The record of a document; nil where there is none.
local function stored_of(document)
  local group = group_of(document)
  local at, after = find_in_group(group, document)
  if not at then return nil end
  if after == at + 3 then return redis.call('HGET', RECORDS, '#' .. document) end
  return string.sub(group, at + 3, after - 1)
end

-- The bucket of an id, its name, and how the id stands in it.
local hashes, buckets = {}, {}
local function bucket_of_id(id)
  hashes[id] = hashes[id] or redis.sha1hex(id)
  local name = string.sub(hashes[id], 1, 3)
  buckets[name] = buckets[name] or redis.call('HGET', IDS, name) or ''
  return buckets[name], name, string.sub(hashes[id], 4, 9)
end

-- The document of an id, and its record; nil where there is none. Also where in its bucket the id is.
local function find_record(id)
  local bucket, _, hash = bucket_of_id(id)
  local at = string.find(bucket, hash, 1, true)
  while at do
    if at % ID == 1 then
      local document = struct.unpack('>I4', bucket, at + 6)
      local stored = stored_of(document)
      if stored and read_head(stored).id == id then return document, stored, at end
    end
    at = string.find(bucket, hash, at + 1, true)
  end
end
`;

/** Changes records: `apply_records` writes what was changed. */
export const RECORD_CHANGES_LUA = `
local changed_buckets = {}

local function write_head(id, created, version, updated, expires)
  local what = (version > 1 and 1 or 0) + (updated > 0 and 2 or 0) + (expires > 0 and 4 or 0)
  return struct.pack('>Bd', what, created)
    .. (version > 1 and struct.pack('>I4', version) or '')
    .. (updated > 0 and struct.pack('>d', updated) or '')
    .. (expires > 0 and struct.pack('>d', expires) or '')
    .. struct.pack('>H', #id) .. id
end

-- Reads the buckets of so many ids that to ask for each would take longer.
local function read_buckets(ids)
  local names = {}
  for n, id in ipairs(ids) do
    hashes[id] = redis.sha1hex(id)
    names[n] = string.sub(hashes[id], 1, 3)
  end
  each_value(IDS, names, function(name, bucket) buckets[name] = bucket or '' end)
end

-- Nil where there is to be none any more.
local function set_record(document, stored)
  local group, number = group_of(document)
  local at, after = find_in_group(group, document)
  local is_long = stored and #stored > LONG
  if is_long then redis.call('HSET', RECORDS, '#' .. document, stored)
  elseif at and after == at + 3 then redis.call('HDEL', RECORDS, '#' .. document) end
  if is_long then stored = '' end
  at, after = at or #group + 1, after or #group + 1
  changed[number] = string.sub(group, 1, at - 1)
    .. (stored and struct.pack('>BH', document % GROUP, #stored) .. stored or '')
    .. string.sub(group, after)
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
  set_record(document, nil)
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
