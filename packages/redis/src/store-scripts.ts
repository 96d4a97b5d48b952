import { FILTER_LUA } from './filter-rules.ts';
import { DOCUMENTS_LUA, INDEX_LUA, KEYS_LUA } from './index-lua.ts';
import { reading, writing } from './script.ts';

/*
 * The scripts of a store but for searching. Their keys are those of a namespace, in the order of `StoreKeys`. Each gives
 * a list whose first element says how it went. Records come as they are stored.
 */

/** A namespace tells the registry of itself again with its first write of an hour, whatever became of the registry. */
const REGISTERED_MS = 3_600_000;

/** A record for callers. `ids` -> for each its record, or nil. */
export const GET = reading(`${KEYS_LUA}
local found = {}
for n, id in ipairs(ARGV) do
  local stored = redis.call('HGET', RECORDS, id)
  found[n] = head(stored) and stored or false
end
return found
`);

/**
 * Puts records in their order, all or none.
 *
 * A mark of this change; '' where what has expired is to be removed first; a gate: empty, or where the namespace was just
 * registered the one that this script gave, and when it gave it; by what the texts were analysed. Then for each record: id, version and document of the
 * record to replace ('' where it must not be there), creation time ('' for now), time to live ('' for ever), end of the
 * first line, body, vector ('' for none), and what is known of it as a document, and, of a record that is replaced, what
 * was known of that.
 *
 * -> `['ANALYSIS', name]`: those that are there were analysed by something else.
 * -> `['REGISTER', gate, time]`: register the namespace, then try again with these.
 * -> `['DUE']`: remove first what has expired.
 * -> `['CHANGED', record or nil, …]`: the records that are there under the ids.
 * -> `['PUT', time]`: when it was, also where it was sent again.
 */
export const PUT = writing(`${KEYS_LUA}${INDEX_LUA}${DOCUMENTS_LUA}
local mark = take()
local put = redis.call('HGET', MARKS, mark)
if put then return { 'PUT', put } end

local swept, gate, gated, analysis = take(), take(), tonumber(take()), take()
local inputs, ids, there = {}, {}, {}
while at < #ARGV do
  local input = { id = take(), guard = take(), created = take(), ttl = take(), ends = take(), body = take(), vector = take() }
  input.document = take_document()
  if input.guard ~= '' then input.former = take_document() end
  inputs[#inputs + 1] = input
  if there[input.id] == nil then
    ids[#ids + 1], there[input.id] = input.id, false
  end
end

local facts = redis.call('HMGET', FACTS, 'analysis', 'registered', 'born', 'next')
if facts[1] and facts[1] ~= analysis then return { 'ANALYSIS', facts[1] } end
local registered = facts[2]
if math.abs(now - (registered or 0)) > ${REGISTERED_MS} then
  local present = redis.call('GET', GATE) or ''
  -- The gate is kept for a minute.
  if gate == '' or gate ~= '.' .. present or now - gated > 50000 then return { 'REGISTER', '.' .. present, now } end
  registered = string.format('%.0f', now)
end

if swept == '' and redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then return { 'DUE' } end

-- Of each id the first line of its record, as a list, or false.
local due = false
each_value(RECORDS, ids, function(id, stored)
  there[id] = head(stored) or false
  -- One whose time is over is in the index still.
  due = due or (stored and not there[id])
end)
if due then return { 'DUE' } end

-- A batch may put an id twice: what it replaces then is what it has just put.
local versions, changed = {}, false
for _, input in ipairs(inputs) do
  local known = there[input.id]
  local version = versions[input.id] or known and known[3] or 0
  local guard = version == 0 and '' or string.format('%.0f ', version) .. (known and string.format('%.0f', known[1]) or 'again')
  changed = changed or guard ~= input.guard
  versions[input.id] = version + 1
end
if changed then
  local records = { 'CHANGED' }
  for n, input in ipairs(inputs) do
    records[n + 1] = there[input.id] and redis.call('HGET', RECORDS, input.id) or false
  end
  return records
end
if problem() then return problem() end
local next_number = tonumber(facts[4] or 0)
if next_number + #inputs > 2 ^ 32 then return redis.error_reply('FULL a document is a number of 32 bits') end

answer_again(mark, now)
if not facts[3] then redis.call('HSET', FACTS, 'born', string.format('%.0f', micros), 'base', 0) end
local write_record, flush_records = writer('HSET', RECORDS)
local write_order, flush_order = writer('RPUSH', ORDER)
for _, input in ipairs(inputs) do
  local former = there[input.id]
  local number, version, created
  if former then
    number, created, version = former[1], former[2], former[3] + 1
    unindex(number, input.former)
  else
    number, version, next_number = next_number, 1, next_number + 1
    created = input.created == '' and now or tonumber(input.created)
    write_order(input.id)
  end
  local expires = input.ttl == '' and 0 or now + tonumber(input.ttl)
  local updated = now == created and 0 or now
  local line = string.format('[%.0f,%.0f', number, created)
  if version > 1 or updated > 0 or expires > 0 or input.ends ~= '' then
    line = line .. string.format(',%.0f,%.0f,%.0f', version, updated, expires)
  end
  write_record(input.id, line .. input.ends .. ']\\n' .. input.body)
  if expires > 0 then redis.call('ZADD', EXPIRY, expires, input.id)
  elseif former and former[5] > 0 then redis.call('ZREM', EXPIRY, input.id) end
  index(number, input.document, created)
  if input.vector ~= '' or former then set_vector(number, input.vector) end
  there[input.id] = { number, created, version, updated, expires }
end
flush_records()
flush_order()
redis.call('HSET', FACTS, 'analysis', analysis, 'registered', registered, 'next', string.format('%.0f', next_number))
apply_changes()
settle()
return { 'PUT', string.format('%.0f', now) }
`);

/**
 * Removes records. A mark of this change, and by what texts are analysed; then for each record: id, its version and document, and what is known of it as
 * a document.
 *
 * -> `['ANALYSIS', name]`: those that are there were analysed by something else.
 * -> `[how many were as said and are gone]`, also where it was sent again
 */
export const REMOVE = writing(`${KEYS_LUA}${INDEX_LUA}${DOCUMENTS_LUA}
local mark = take()
local removed = redis.call('HGET', MARKS, mark)
if removed then return { tonumber(removed) } end
local analysis, analysed = take(), redis.call('HGET', FACTS, 'analysis')
if analysed and analysed ~= analysis then return { 'ANALYSIS', analysed } end
if problem() then return problem() end

local gone = 0
while at < #ARGV do
  local id, guard = take(), take()
  local document = take_document()
  local stored = redis.call('HGET', RECORDS, id)
  local fields = stored and read_head(stored)
  if fields and string.format('%.0f %.0f', fields[3], fields[1]) == guard then
    remove(id, fields, document)
    gone = gone + 1
  end
end
if gone > 0 then
  apply_changes()
  settle()
  answer_again(mark, gone)
end
return { gone }
`);

/** Records whose time is over, up to a number. -> `[id, record, …]` */
export const DUE = reading(`${KEYS_LUA}
local due = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now, 'LIMIT', 0, ARGV[1])) do
  due[#due + 1] = id
  due[#due + 1] = redis.call('HGET', RECORDS, id)
end
return due
`);

/**
 * A stretch of the order of creation, of up to so many places: \`newest\` or \`oldest\`, when the namespace had come into
 * being and the document that the stretch before ended with ('' for the first), how many places, how many records, and a
 * filter as JSON, or ''.
 *
 * -> \`[born, the last document, 1 where nothing follows, id, record, …]\`
 */
export const LIST = reading(`${KEYS_LUA}${FILTER_LUA}
local direction, born, from, places, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local rules = read_rules(ARGV[6]) or {}
local facts = redis.call('HMGET', FACTS, 'born', 'base')
if not facts[1] then return { '0', 0, 1 } end
local base, length = tonumber(facts[2]), redis.call('LLEN', ORDER)
-- What was listed before the namespace was emptied is gone; all that is here came later.
if from and born ~= facts[1] then
  if direction == 'newest' then return { facts[1], 0, 1 } end
  from = nil
end
local step = direction == 'newest' and -1 or 1
local place = from and from - base + step or (step == 1 and 0 or length - 1)
if place < 0 and step == 1 then place = 0 end
local last = step == 1 and math.min(length - 1, place + places - 1) or math.max(0, place - places + 1)
local listed = { facts[1], from or -1, 0 }
local found = 0
if place >= 0 and place < length then
  local first = math.min(place, last)
  local ids = redis.call('LRANGE', ORDER, first, math.max(place, last))
  while (last - place) * step >= 0 and found < limit do
    local id = ids[place - first + 1]
    local stored = id ~= '' and redis.call('HGET', RECORDS, id)
    if stored and passes(rules, stored) then
      listed[#listed + 1] = id
      listed[#listed + 1] = stored
      found = found + 1
    end
    listed[2] = place + base
    place = place + step
  end
end
if place < 0 or place >= length then listed[3] = 1 end
return listed
`);

/** How many records there are. */
export const COUNT = reading(`${KEYS_LUA}
return redis.call('HLEN', RECORDS) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
`);

/**
 * Removes all records, and changes the gate; see \`registry.ts\`. A mark of this change, and '1' where only a namespace
 * without records is to be emptied.
 *
 * -> how many there were, also where it was sent again; or nil where there are some that are to stay
 */
export const EMPTY = writing(`${KEYS_LUA}
local mark, counted = string.match(redis.call('GET', GATE) or '', '^(%S+) (%S+)')
if mark == ARGV[1] then return tonumber(counted) end
local living = redis.call('HLEN', RECORDS) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
if ARGV[2] == '1' and living > 0 then return false end
redis.call('UNLINK', RECORDS, ORDER, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG)
redis.call('SET', GATE, string.format('%s %.0f %.0f', ARGV[1], living, micros), 'PX', 60000)
return living
`);

/**
 * Vectors that came after one, in the order in which they came, up to a number: when the namespace had come into being
 * when that one was read, its number, how many.
 *
 * -> `[born, number of the newest of them, document, vector, …]`; of a namespace that is another, from the first on
 */
export const VECTORS = reading(`${KEYS_LUA}
local facts = redis.call('HMGET', FACTS, 'born', 'vectors')
local born, after = facts[1] or '', tonumber(ARGV[2])
if born ~= ARGV[1] then after = 0 end
local found = { born, after }
if tonumber(facts[2] or 0) <= after then return found end
local come = redis.call('ZRANGEBYSCORE', VECTOR_LOG, after + 1, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for n = 1, #come, 2 do
  found[#found + 1] = tonumber(come[n])
  found[#found + 1] = redis.call('HGET', VECTORS, come[n])
  found[2] = tonumber(come[n + 1])
end
return found
`);
