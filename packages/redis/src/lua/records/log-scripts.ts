import { STORE_KEY_NAMES } from '../../client/keys.ts';
import { reading, writing } from '../../client/script.ts';
import { FLAG } from '../../stores/stored-value.ts';

/** The fields of the hash `state`. */
const STATE = {
  /** Identifies what the numbers of changes belong to. */
  log: 'l',
  /** The number of the last change. */
  change: 'n',
  /** The number of the last deletion that is no longer in `deleted`. */
  forgotten: 'f',
  /** When the namespace was last registered. */
  registered: 'r',
} as const;

/** What scripts of changes reply with first. */
export const REPLY = {
  /** The changes were made. Followed by the time, in milliseconds since 1970, and the number of the last change before these. */
  done: 'DONE',
  /** Register the namespace, then try again with the gate and the time that follow. */
  register: 'REGISTER',
  /** Other records are there. Followed by the value of each id, null for none. */
  changed: 'CHANGED',
} as const;

/** The first write of an hour registers the namespace again, in case the registry was lost. */
const REGISTERED_MS = 3_600_000;
/** The idempotency keys of a period have a key of Redis. Periods are short, so that none is long to free when it expires. */
export const REQUESTS_PERIOD_MS = 10_000;
/** How long Redis remembers the idempotency keys of a period. */
const REQUESTS_TTL_MS = 60_000;
/** How many expired records a change removes beside its own. */
const MOST_EXPIRED = 32;
/** How many deletions are remembered, so that others need not read a whole namespace again. */
const MOST_DELETIONS = 4_096;
/** How long the gate of a namespace that was emptied is kept, and how long a gate that was read can be used. */
const GATE_TTL_MS = 60_000;
const GATE_VALID_MS = 50_000;
/** A namespace whose records all expire is removed this long after the last of them. */
const EXPIRY_DELAY_MS = 60_000;
/** A reply ends after this many bytes of records. */
const MOST_REPLY_BYTES = 1_048_576;
/** How many records are read at a time. */
const READ_AT_ONCE = 100;

/** Lua: names the keys: `RECORDS`, `CHANGES` and so on. Reads the time of the server, in microseconds and milliseconds. */
const KEYS_LUA = `
local ${STORE_KEY_NAMES.map((name) => name.toUpperCase()).join(', ')} = unpack(KEYS)
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
local function text_of(number) return string.format('%.0f', number) end
`;

/**
 * Lua: `header_of(value)` returns the number of the last change of a stored record and when it expires, if ever.
 * `live(value)` tells whether it has not expired.
 */
const VALUES_LUA = `
local function header_of(value)
  local flags, change = struct.unpack('>Bd', value)
  if flags % ${2 * FLAG.expires} >= ${FLAG.expires} then return change, (struct.unpack('>d', value, 18)) end
  return change
end

local function live(value)
  local _, expires = header_of(value)
  return not expires or expires > now
end
`;

/** Lua: `each_value(ids, take)` reads records, and calls `take(id, value)` for each, with `false` for none. */
const READ_LUA = `
local function each_value(ids, take)
  for from = 1, #ids, ${READ_AT_ONCE} do
    local till = math.min(from + ${READ_AT_ONCE - 1}, #ids)
    local values = redis.call('HMGET', RECORDS, unpack(ids, from, till))
    for n, value in ipairs(values) do
      if take(ids[from + n - 1], value) == false then return end
    end
  end
end
`;

/**
 * Lua: `add`, `remove`, `put(id, value)`, `free(id)`, `delete(id)` and `finish()` are what scripts of changes need. A script of
 * Redis is not rolled back, so all keys are read first, which finds those that hold something else.
 */
const CHANGES_LUA = `
-- What is empty need not be searched for each record. Each call of a command is a good part of what one change costs.
local is_used = {}
for _, key in ipairs({ REPLACED, DELETED, EXPIRY }) do is_used[key] = redis.call('ZCARD', key) > 0 end
for _, key in ipairs({ VECTORS, INDEX }) do is_used[key] = redis.call('HLEN', key) > 0 end
local last, registered = unpack(redis.call('HMGET', STATE, '${STATE.change}', '${STATE.registered}'))
last, registered = tonumber(last or '0'), tonumber(registered or '0')
local known_count = redis.call('HLEN', RECORDS)
local count = known_count
if known_count ~= redis.call('ZCARD', CHANGES) or (known_count > 0) ~= (last > 0) then
  return redis.error_reply('CORRUPT a key of the namespace is gone')
end

local function add(command, key, ...)
  redis.call(command, key, ...)
  is_used[key] = true
end

local function remove(command, key, id)
  if is_used[key] then redis.call(command, key, id) end
end

local function put(id, value) count = count + redis.call('HSET', RECORDS, id, value) end

local function free(id) count = count - redis.call('HDEL', RECORDS, id) end

local function delete(id)
  free(id)
  redis.call('ZREM', CHANGES, id)
  remove('HDEL', VECTORS, id)
  for _, key in ipairs({ REPLACED, EXPIRY }) do remove('ZREM', key, id) end
  last = last + 1
  add('ZADD', DELETED, text_of(last), id)
end

local function raise_forgotten(number)
  local known = tonumber(redis.call('HGET', STATE, '${STATE.forgotten}') or '0')
  if tonumber(number) > known then redis.call('HSET', STATE, '${STATE.forgotten}', number) end
end

local function forget(count)
  local oldest = redis.call('ZPOPMIN', DELETED, count)
  if #oldest > 0 then raise_forgotten(oldest[#oldest]) end
end

local function expire_or_persist()
  -- Only then a key can have a time to live, or get one.
  if known_count > 0 and not is_used[EXPIRY] then return end
  local keys = { RECORDS, CHANGES, REPLACED, DELETED, EXPIRY, VECTORS, STATE, INDEX }
  if redis.call('ZCARD', EXPIRY) == count then
    local latest = redis.call('ZREVRANGE', EXPIRY, 0, 0, 'WITHSCORES')[2]
    local at = text_of(math.max(latest, now) + ${EXPIRY_DELAY_MS})
    for _, key in ipairs(keys) do redis.call('PEXPIREAT', key, at) end
  elseif redis.call('PTTL', STATE) >= 0 then
    for _, key in ipairs(keys) do redis.call('PERSIST', key) end
  end
end

local function sweep()
  if not is_used[EXPIRY] then return end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now, 'LIMIT', 0, ${MOST_EXPIRED})) do delete(id) end
end

local function finish()
  sweep()
  if count == 0 then
    redis.call('UNLINK', RECORDS, CHANGES, REPLACED, DELETED, EXPIRY, VECTORS, INDEX)
    -- The namespace stays registered.
    redis.call('HDEL', STATE, '${STATE.log}', '${STATE.change}', '${STATE.forgotten}')
    redis.call('PEXPIRE', STATE, ${REGISTERED_MS})
    return
  end
  if is_used[DELETED] and redis.call('ZCARD', DELETED) > ${2 * MOST_DELETIONS} then forget(${MOST_DELETIONS}) end
  redis.call('HSET', STATE, '${STATE.change}', text_of(last))
  expire_or_persist()
end
`;

/**
 * Makes changes, all or none.
 *
 * ARGV: an idempotency key; a gate and its time, from the reply `register` ('' and 0 at first). Then for each change: its id; the
 * number and the time of the last change of the record that must be there, '' for none; the body of the record, '' for its deletion; the
 * place of the change among these; the number of the change that created the record, '' for one of these, and its place; when it
 * was created, '' for now; its time to live, '' if it never expires; its vector, '' for none.
 *
 * -> a {@link REPLY}: `done` also if the change was sent again, then without the number.
 */
export const CHANGE = writing(`${KEYS_LUA}${VALUES_LUA}${READ_LUA}
local idempotency_key = ARGV[1]
local done = redis.call('HGET', REQUESTS, idempotency_key)
if done then return { '${REPLY.done}', done } end
${CHANGES_LUA}
local FIELDS = 9
local ids = {}
for at = 4, #ARGV, FIELDS do ids[#ids + 1] = ARGV[at] end

local values, is_changed = {}, false
each_value(ids, function(id, value)
  local at = 4 + FIELDS * #values
  local is_there = value and live(value)
  values[#values + 1] = is_there and value or false
  local seen = ''
  if is_there then
    local _, change, updated = struct.unpack('>Bdd', value)
    seen = text_of(change) .. ' ' .. text_of(updated)
  end
  if seen ~= ARGV[at + 1] then is_changed = true end
end)
if is_changed then
  table.insert(values, 1, '${REPLY.changed}')
  return values
end

if math.abs(now - registered) > ${REGISTERED_MS} then
  local gate = '.' .. (redis.call('GET', GATE) or '')
  if ARGV[2] ~= gate or now - ARGV[3] > ${GATE_VALID_MS} then return { '${REPLY.register}', gate, now } end
end

-- First what only frees memory: a server without free memory rejects a script whose first write may take more.
for at = 4, #ARGV, FIELDS do
  if ARGV[at + 2] == '' then free(ARGV[at]) end
end
redis.call('HSET', REQUESTS, idempotency_key, text_of(now))
if redis.call('HLEN', REQUESTS) == 1 then redis.call('PEXPIRE', REQUESTS, ${REQUESTS_TTL_MS + REQUESTS_PERIOD_MS}) end
if math.abs(now - registered) > ${REGISTERED_MS} then redis.call('HSET', STATE, '${STATE.registered}', now) end
if last == 0 then
  -- Higher than any number that the namespace had before it was emptied.
  last = micros
  redis.call('HSET', STATE, '${STATE.log}', idempotency_key, '${STATE.forgotten}', text_of(last))
end
local base = last
for at = 4, #ARGV, FIELDS do
  local id, body, place, number, place_created, created_at, ttl, vector =
    ARGV[at], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6], ARGV[at + 7], ARGV[at + 8]
  last = base + place - 1
  if body == '' then
    delete(id)
  else
    last = last + 1
    if number == '' and place_created ~= place then number = text_of(base + place_created) end
    local updated = now
    -- Clocks go back, and the caller may name a time in the future.
    if created_at ~= '' and tonumber(created_at) > now then updated = tonumber(created_at) end
    local flags, numbers = 0, ''
    if ttl ~= '' then
      local expires = now + ttl
      flags, numbers = flags + ${FLAG.expires}, struct.pack('>d', expires)
      add('ZADD', EXPIRY, text_of(expires), id)
    else
      remove('ZREM', EXPIRY, id)
    end
    if number ~= '' then
      flags, numbers = flags + ${FLAG.replaced}, numbers .. struct.pack('>d', number)
      add('ZADD', REPLACED, number, id)
    else
      remove('ZREM', REPLACED, id)
    end
    if created_at ~= '' and tonumber(created_at) ~= updated then
      flags, numbers = flags + ${FLAG.created}, numbers .. struct.pack('>d', created_at)
    end
    put(id, struct.pack('>Bdd', flags, last, updated) .. numbers .. body)
    redis.call('ZADD', CHANGES, text_of(last), id)
    remove('ZREM', DELETED, id)
    if vector ~= '' then add('HSET', VECTORS, id, vector) else remove('HDEL', VECTORS, id) end
  end
end
finish()
return { '${REPLY.done}', text_of(now), text_of(base) }
`);

/** Reads records. ARGV: their ids. -> for each that has not expired: its id and its value. */
export const READ = reading(`${KEYS_LUA}${VALUES_LUA}${READ_LUA}
local reply = {}
each_value(ARGV, function(id, value)
  if value and live(value) then reply[#reply + 1], reply[#reply + 2] = id, value end
end)
return reply
`);

/**
 * Reads what changed.
 *
 * ARGV: the log and the number of the last change that are known, '' for none; that of the last change when the first ones were
 * read; how many changes at most; '1' for vectors.
 *
 * -> the log, null without records; 1 if these are the first changes; 1 if they are the last ones; the number of the last change
 *    that is covered; that of the last change when the first ones were read; the time; then for each change its id, its number, its
 *    value or null for a deletion, and its vector or null.
 */
export const READ_CHANGES = reading(`${KEYS_LUA}${READ_LUA}
local known_log, after, began, limit, wants_vectors = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
local log, forgotten, last = unpack(redis.call('HMGET', STATE, '${STATE.log}', '${STATE.forgotten}', '${STATE.change}'))
if not log then return { false, known_log == '' and 0 or 1, 1, '0', '0', now } end
local is_beginning = known_log ~= log or math.max(after, began) < tonumber(forgotten)
if is_beginning then after, began = '0', text_of(math.max(last, forgotten)) end
local function range(key) return redis.call('ZRANGEBYSCORE', key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit) end
local changed = range(CHANGES)
-- Whoever begins has nothing to delete.
local deleted = is_beginning and {} or range(DELETED)
local is_last = #changed < 2 * limit and #deleted < 2 * limit
local reply = { log, is_beginning and 1 or 0, 1, after, began, now }
local ids, numbers, deletions, c, d = {}, {}, {}, 1, 1
while #ids < limit and (changed[c] or deleted[d]) do
  local is_deletion = not changed[c] or deleted[d] ~= nil and tonumber(deleted[d + 1]) < tonumber(changed[c + 1])
  local from, at = is_deletion and deleted or changed, is_deletion and d or c
  ids[#ids + 1], numbers[#numbers + 1], deletions[#deletions + 1] = from[at], from[at + 1], is_deletion
  if is_deletion then d = d + 2 else c = c + 2 end
end
if changed[c] or deleted[d] then is_last = false end
local size, at = 0, 0
each_value(ids, function(id, value)
  if size > ${MOST_REPLY_BYTES} then
    is_last = false
    return false
  end
  at = at + 1
  value = not deletions[at] and value
  size = size + (value and #value or 0)
  reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = id, numbers[at], value
  reply[#reply + 1] = value and wants_vectors and redis.call('HGET', VECTORS, id)
  reply[4] = numbers[at]
end)
reply[3] = is_last and 1 or 0
return reply
`);

/**
 * Reads the next records in the order of their creation.
 *
 * ARGV: 'newest' or 'oldest'; the number of the change that created the last one, '' for none; how many ids to look at, at most.
 *
 * -> 1 if there are no others; the number to go on after; then for each record that has not expired: its id and its value.
 */
export const LIST = reading(`${KEYS_LUA}${VALUES_LUA}${READ_LUA}
local is_newest, after, limit = ARGV[1] == 'newest', ARGV[2], tonumber(ARGV[3])
local function range(key)
  if is_newest then
    return redis.call('ZREVRANGEBYSCORE', key, after == '' and '+inf' or '(' .. after, '-inf', 'WITHSCORES', 'LIMIT', 0, limit)
  end
  return redis.call('ZRANGEBYSCORE', key, after == '' and '-inf' or '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
end
-- Records that were never replaced are in the order of their last change.
local unchanged, replaced = range(CHANGES), range(REPLACED)
local is_end = #unchanged < 2 * limit and #replaced < 2 * limit
local function is_before(a, b)
  if is_newest then return a > b end
  return a < b
end
local entries, reached = {}, nil
local u, r = 1, 1
while u < #unchanged or r < #replaced do
  local from_replaced = u > #unchanged
    or r < #replaced and is_before(tonumber(replaced[r + 1]), tonumber(unchanged[u + 1]))
  local list, at = from_replaced and replaced or unchanged, from_replaced and r or u
  -- Beyond the end of a range that was cut, records of it are missing.
  if from_replaced and u > #unchanged and #unchanged == 2 * limit then break end
  if not from_replaced and r > #replaced and #replaced == 2 * limit then break end
  entries[#entries + 1] = { list[at], from_replaced }
  reached = list[at + 1]
  if from_replaced then r = r + 2 else u = u + 2 end
end
local ids, flags = {}, {}
for n, entry in ipairs(entries) do ids[n], flags[n] = entry[1], entry[2] end
local reply, size, at = { is_end and 1 or 0, reached or after }, 0, 0
each_value(ids, function(id, value)
  at = at + 1
  local was_replaced = value and struct.unpack('>B', value) % ${2 * FLAG.replaced} >= ${FLAG.replaced}
  if value and live(value) and (was_replaced == flags[at]) then
    reply[#reply + 1], reply[#reply + 2] = id, value
  end
end)
return reply
`);

/** -> how many records there are that have not expired. */
export const COUNT = reading(`${KEYS_LUA}
return redis.call('HLEN', RECORDS) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
`);

/**
 * Removes all records and changes the gate; see `registry.ts`.
 *
 * ARGV: an idempotency key; '1' to empty only a namespace without records.
 *
 * -> how many records there were, also if the change was sent again; null if the namespace keeps its records.
 */
export const EMPTY = writing(`${KEYS_LUA}
local previous_key, previous_count = string.match(redis.call('GET', GATE) or '', '^(%S+) (%S+)')
if previous_key == ARGV[1] then return tonumber(previous_count) end
local count = redis.call('HLEN', RECORDS) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
if ARGV[2] == '1' and count > 0 then return false end
redis.call('UNLINK', RECORDS, CHANGES, REPLACED, DELETED, EXPIRY, VECTORS, STATE, INDEX)
redis.call('SET', GATE, string.format('%s %.0f %.0f', ARGV[1], count, micros), 'PX', ${GATE_TTL_MS})
return count
`);

/** Removes expired records, some deletions that are remembered, and the saved indexes. -> 1 if there may be more. */
export const COMPACT = writing(`${KEYS_LUA}${CHANGES_LUA}
if last == 0 then return 0 end
redis.call('UNLINK', INDEX)
finish()
if redis.call('HEXISTS', STATE, '${STATE.log}') == 0 then return 0 end
forget(${READ_AT_ONCE})
-- An index with anything from before is refused.
raise_forgotten(text_of(last))
return (redis.call('ZCARD', DELETED) > 0 or redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0) and 1 or 0
`);

/*
 * Saved indexes are in one hash. The field of a variant has the number of the index, its log, its last change and its number of
 * pages; the field !variant has the number of one that is written and until when its writer may go on; the field number:page has
 * a page, after its checksum.
 */

/**
 * Begins to save an index. ARGV: the variant; a new number; a lease in milliseconds; a change. -> 1, or 0 if another process is at
 * it, or has saved one with later changes.
 */
export const BEGIN_INDEX = writing(`${KEYS_LUA}
if redis.call('HEXISTS', STATE, '${STATE.log}') == 0 then return 0 end
local saved = redis.call('HGET', INDEX, ARGV[1])
if saved and tonumber(string.match(saved, '^%S+ %S+ (%S+)')) > tonumber(ARGV[4]) then return 0 end
local field = '!' .. ARGV[1]
local known = redis.call('HGET', INDEX, field)
if known then
  local number, till = string.match(known, '^(%S+) (%S+)$')
  if tonumber(till) > now then return 0 end
  local page = 0
  while redis.call('HDEL', INDEX, number .. ':' .. page) == 1 do page = page + 1 end
end
redis.call('HSET', INDEX, field, ARGV[2] .. ' ' .. text_of(now + ARGV[3]))
return 1
`);

/** Writes pages. ARGV: the variant; the number; a lease; the first page; the bytes of each. -> 1, or 0 if the index was removed meanwhile. */
export const WRITE_PAGES = writing(`${KEYS_LUA}
local field = '!' .. ARGV[1]
local known = redis.call('HGET', INDEX, field)
if not known or string.match(known, '^(%S+)') ~= ARGV[2] then return 0 end
redis.call('HSET', INDEX, field, ARGV[2] .. ' ' .. text_of(now + ARGV[3]))
for place = 5, #ARGV do redis.call('HSET', INDEX, ARGV[2] .. ':' .. text_of(ARGV[4] + place - 5), ARGV[place]) end
return 1
`);

/**
 * Replaces the saved index. ARGV: the variant; the number; the log; its last change; how many pages. -> 1, or 0 if it was removed
 * meanwhile, or has words of deletions that were forgotten since.
 */
export const PUBLISH_INDEX = writing(`${KEYS_LUA}
local variant, number = ARGV[1], ARGV[2]
local known = redis.call('HGET', INDEX, '!' .. variant)
if not known or string.match(known, '^(%S+)') ~= number then return 0 end
local log, forgotten = unpack(redis.call('HMGET', STATE, '${STATE.log}', '${STATE.forgotten}'))
if log ~= ARGV[3] or tonumber(forgotten) > tonumber(ARGV[4]) then return 0 end
local former = redis.call('HGET', INDEX, variant)
redis.call('HDEL', INDEX, '!' .. variant)
redis.call('HSET', INDEX, variant, number .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. ARGV[5])
if former then
  local old, pages = string.match(former, '^(%S+) %S+ %S+ (%S+)$')
  for page = 0, pages - 1 do redis.call('HDEL', INDEX, old .. ':' .. page) end
end
return 1
`);

/** Removes an index that is being written. ARGV: the variant; the number; how many pages. -> 1 */
export const DISCARD_INDEX = writing(`${KEYS_LUA}
local known = redis.call('HGET', INDEX, '!' .. ARGV[1])
if known and string.match(known, '^(%S+)') == ARGV[2] then redis.call('HDEL', INDEX, '!' .. ARGV[1]) end
for page = 0, ARGV[3] - 1 do redis.call('HDEL', INDEX, ARGV[2] .. ':' .. page) end
return 1
`);

/**
 * Reads an index. ARGV: the variant; at most how many pages. -> its number, log, last change and pages; the time if nothing has
 * changed since; then its last pages.
 */
export const READ_INDEX = reading(`${KEYS_LUA}
local saved = redis.call('HGET', INDEX, ARGV[1])
if not saved then return {} end
local number, log, change, count = string.match(saved, '^(%S+) (%S+) (%S+) (%S+)$')
local known, forgotten, last = unpack(redis.call('HMGET', STATE, '${STATE.log}', '${STATE.forgotten}', '${STATE.change}'))
local is_current = known == log and tonumber(last) == tonumber(change) and tonumber(forgotten) <= tonumber(change)
local fields = {}
for page = math.max(0, count - ARGV[2]), count - 1 do fields[#fields + 1] = number .. ':' .. text_of(page) end
return { saved, is_current and text_of(now), unpack(redis.call('HMGET', INDEX, unpack(fields))) }
`);

/** Reads pages. ARGV: their fields in the hash of saved indexes. -> their bytes. */
export const READ_PAGES = reading(`${KEYS_LUA}return redis.call('HMGET', INDEX, unpack(ARGV))`);
