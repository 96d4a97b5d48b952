import { FILTER_LUA } from './filter-rules.ts';
import { DOCUMENTS_LUA, INDEX_LUA, KEYS_LUA } from './index-lua.ts';
import { RECORDS_LUA } from './records-lua.ts';
import { reading, writing } from './script.ts';

/*
 * The scripts of a store, except search. Their keys are those of a namespace, in the order of `StoreKeys`. Each replies with
 * a list whose first element says how it went. Records are in the layout of `stored-record.ts`.
 */

/** A namespace is registered again with its first write of an hour, in case the registry was lost. */
const REGISTERED_MS = 3_600_000;

/** A record by its id. -> `[document, record]`, or `[]` */
export const GET = reading(`${KEYS_LUA}${RECORDS_LUA}
local document, front = find_record(ARGV[1])
local stored = head(front) and whole(document, front)
return stored and { document, stored } or {}
`);

/**
 * Puts records in their order, all or none.
 *
 * ARGV: a mark of this change; '' if expired records must be removed first; a gate: empty, or the gate of the reply
 * `REGISTER` and its time; the analysis of the texts. Then for each record: its id; version and document of the record that
 * it replaces ('' if none must exist); time of creation ('' for now); time to live ('' for ever); its lines; its vector (''
 * for none); the record as a document; and the record that it replaces as a document.
 *
 * -> `['ANALYSIS', name]`: the texts of the namespace were analysed in another way.
 * -> `['REGISTER', gate, time]`: register the namespace, then try again with these.
 * -> `['DUE']`: remove expired records first.
 * -> `['CHANGED', document, record, …]`: the records that exist under the ids, 0 and nil for none.
 * -> `['PUT', time]`: the time of the change, also if it was sent again.
 */
export const PUT = writing(`${KEYS_LUA}${RECORDS_LUA}${INDEX_LUA}${DOCUMENTS_LUA}
local mark = take()
local put = redis.call('HGET', MARKS, mark)
if put then return { 'PUT', put } end

local swept, gate, gated, analysis = take(), take(), tonumber(take()), take()
local inputs, ids, there, changes_vectors = {}, {}, {}, false
while at < #ARGV do
  local input = { id = take(), guard = take(), created = take(), ttl = take(), lines = take(), vector = take() }
  input.document = take_document()
  if input.guard ~= '' then input.former = take_document() end
  changes_vectors = changes_vectors or input.vector ~= '' or input.guard ~= ''
  inputs[#inputs + 1] = input
  if there[input.id] == nil then
    ids[#ids + 1], there[input.id] = input.id, false
  end
end

if facts.analysis and facts.analysis ~= analysis then return { 'ANALYSIS', facts.analysis } end
local is_registered = math.abs(now - fact('registered')) <= ${REGISTERED_MS}
if not is_registered then
  local present = redis.call('GET', GATE) or ''
  -- The gate is kept for a minute.
  if gate == '' or gate ~= '.' .. present or now - gated > 50000 then return { 'REGISTER', '.' .. present, now } end
end

if swept == '' and redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then return { 'DUE' } end

-- Of each id the head of its record, or false.
read_buckets(ids)
for _, id in ipairs(ids) do
  local document, front = find_record(id)
  there[id] = head(front) or false
  -- An expired record is still in the index.
  if front and not there[id] then return { 'DUE' } end
  if front then there[id].document, there[id].front = document, front end
end

-- A batch may put an id twice: the second record replaces the first.
local versions, is_other = {}, false
for _, input in ipairs(inputs) do
  local known = there[input.id]
  local version = versions[input.id] or known and known.version or 0
  local guard = version == 0 and '' or string.format('%.0f ', version) .. (known and known.document or 'again')
  is_other = is_other or guard ~= input.guard
  versions[input.id] = version + 1
end
if is_other then
  local records = { 'CHANGED' }
  for n, input in ipairs(inputs) do
    local known = there[input.id]
    records[2 * n] = known and known.document or 0
    records[2 * n + 1] = known and whole(known.document, known.front) or false
  end
  return records
end
if problem(changes_vectors) then return problem() end
if fact('next') + #inputs > 2 ^ 32 then return redis.error_reply('FULL a document is a number of 32 bits') end

answer_again(mark, now)
if not facts.analysis then set_fact('analysis', analysis) end
if not is_registered then set_fact('registered', now) end
if not facts.born then set_fact('born', micros) end
local next_document, records = fact('next'), fact('records')
for _, input in ipairs(inputs) do
  local former = there[input.id]
  local document, version, created
  if former then
    document, created, version = former.document, former.created, former.version + 1
    unindex(document, input.former)
  else
    document, version = next_document, 1
    created = input.created == '' and now or tonumber(input.created)
    add_id(input.id, document)
    next_document, records = next_document + 1, records + 1
  end
  local expires = input.ttl == '' and 0 or now + tonumber(input.ttl)
  local updated = now == created and 0 or now
  set_record(document, {
    id = input.id, created = created, version = version, updated = updated, expires = expires,
    flags = input.document.flags, lines = input.lines,
  })
  if expires > 0 then redis.call('ZADD', EXPIRY, expires, document)
  elseif former and former.expires > 0 then redis.call('ZREM', EXPIRY, document) end
  index(document, input.document, created)
  if input.vector ~= '' or former then set_vector(document, input.vector) end
  there[input.id] = { document = document, created = created, version = version, expires = expires }
end
set_fact('next', next_document)
set_fact('records', records)
apply_changes()
settle()
return { 'PUT', string.format('%.0f', now) }
`);

/**
 * Removes records.
 *
 * ARGV: a mark of this change; the analysis of the texts; then for each record: its id; its version and document; the
 * record as a document.
 *
 * -> `['ANALYSIS', name]`: the texts of the namespace were analysed in another way.
 * -> `[count]`: how many existed in that version and were removed, also if it was sent again.
 */
export const REMOVE = writing(`${KEYS_LUA}${RECORDS_LUA}${INDEX_LUA}${DOCUMENTS_LUA}
local mark = take()
local removed = redis.call('HGET', MARKS, mark)
if removed then return { tonumber(removed) } end
local analysis = take()
if facts.analysis and facts.analysis ~= analysis then return { 'ANALYSIS', facts.analysis } end
if problem(true) then return problem() end

local gone = 0
while at < #ARGV do
  local id, guard = take(), take()
  local document = take_document()
  local number, front = find_record(id)
  local version = front and read_head(front).version
  if version and string.format('%.0f %.0f', version, number) == guard then
    remove(number, id, document)
    gone = gone + 1
  end
end
if gone > 0 then
  apply_changes()
  move_base()
  settle()
  answer_again(mark, gone)
end
return { gone }
`);

/** Expired records, up to a number. -> `[document, record, …]` */
export const DUE = reading(`${KEYS_LUA}${RECORDS_LUA}
local due = {}
for _, document in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local stored = whole(document, front_of(tonumber(document)))
  if stored then
    due[#due + 1] = tonumber(document)
    due[#due + 1] = stored
  end
end
return due
`);

/**
 * A stretch of the order of creation.
 *
 * ARGV: `newest` or `oldest`; when the namespace was created, and the last document of the stretch before ('' for the
 * first); how many places to look at; how many records to find; a filter as JSON, or ''.
 *
 * -> `[born, the last document, 1 if nothing follows, document, record, …]`
 */
export const LIST = reading(`${KEYS_LUA}${RECORDS_LUA}${FILTER_LUA}
local direction, born, from, places, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local rules = read_rules(ARGV[6]) or {}
local facts = redis.call('HMGET', FACTS, 'born', 'base', 'next')
if not facts[1] then return { '0', 0, 1 } end
local first, last = tonumber(facts[2] or 0), tonumber(facts[3]) - 1
local step = direction == 'newest' and -1 or 1
-- The namespace was emptied since: all records came later than those of the stretch before.
if from and born ~= facts[1] then
  if step == -1 then return { facts[1], 0, 1 } end
  from = nil
end
local document = from and from + step or (step == 1 and first or last)
if step == 1 then document = math.max(document, first) end
local listed, found = { facts[1], from or -1, 0 }, 0
while document >= first and document <= last and places > 0 and found < limit do
  local front = front_of(document)
  local stored = front and passes(rules, document, front) and whole(document, front)
  if stored then
    listed[#listed + 1] = document
    listed[#listed + 1] = stored
    found = found + 1
  end
  listed[2], document, places = document, document + step, places - 1
end
if document < first or document > last then listed[3] = 1 end
return listed
`);

/** The number of records. */
export const COUNT = reading(`${KEYS_LUA}
return (redis.call('HGET', FACTS, 'records') or 0) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
`);

/**
 * Removes all records, and changes the gate; see `registry.ts`.
 *
 * ARGV: a mark of this change; '1' to empty only a namespace without records.
 *
 * -> how many records there were, also if it was sent again; nil if the namespace keeps its records
 */
export const EMPTY = writing(`${KEYS_LUA}
local mark, counted = string.match(redis.call('GET', GATE) or '', '^(%S+) (%S+)')
if mark == ARGV[1] then return tonumber(counted) end
local living = (redis.call('HGET', FACTS, 'records') or 0) - redis.call('ZCOUNT', EXPIRY, '-inf', now)
if ARGV[2] == '1' and living > 0 then return false end
redis.call('UNLINK', RECORDS, IDS, TERMS, THREADS, SPEAKERS, FACTS, EXPIRY, VECTORS, VECTOR_LOG)
redis.call('SET', GATE, string.format('%s %.0f %.0f', ARGV[1], living, micros), 'PX', 60000)
return living
`);

/**
 * The changes of vectors after one, in their order, up to a number of vectors.
 *
 * ARGV: when the namespace was created, as known from the reply before; the number up to which changes were read; how many
 * vectors to read.
 *
 * -> `[born, number, newest, count, document, vector, …]`: the number up to which these changes go, the number of the newest
 *    change, how many documents have a vector, and the documents that changed, with nil for those that lost theirs. Of a
 *    namespace that was created since, all vectors. Old losses may be missing, which shows in `count`.
 */
export const VECTORS = reading(`${KEYS_LUA}
local facts = redis.call('HMGET', FACTS, 'born', 'vectors')
local born, newest, after = facts[1] or '', tonumber(facts[2] or 0), tonumber(ARGV[2])
if born ~= ARGV[1] then after = 0 end
local found = { born, newest, newest, redis.call('ZCOUNT', VECTOR_LOG, '(0', '+inf') }
if newest <= after then return found end
local come = redis.call('ZRANGEBYSCORE', VECTOR_LOG, after + 1, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
if #come == 2 * ARGV[3] then found[2] = tonumber(come[#come]) end
for n = 1, #come, 2 do
  found[#found + 1] = tonumber(come[n])
  found[#found + 1] = redis.call('HGET', VECTORS, come[n])
end
local gone = after > 0 and redis.call('ZRANGEBYSCORE', VECTOR_LOG, -found[2], -after - 1) or {}
for _, document in ipairs(gone) do
  found[#found + 1] = tonumber(document)
  found[#found + 1] = false
end
return found
`);
