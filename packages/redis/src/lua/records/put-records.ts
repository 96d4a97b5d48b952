import { writing } from '../../client/script.ts';
import { CHANGED_LUA } from './changed-reply.ts';
import { DOCUMENT_INDEX_LUA } from './document-index.ts';
import { STAT } from './index-stats.ts';
import { REGISTRATION_LUA } from './registration.ts';
import { REPLY } from './replies.ts';
import { STAGED_BATCH_LUA } from './staged-batch.ts';

/**
 * Puts records in their order, all or none.
 *
 * ARGV: an idempotency key; '' if expired records must be removed first; a gate and its time, from the reply `register` ('' and
 * 0 at first); the analysis of the texts. Then for each record: its id; version and document of the record that it replaces,
 * '' if there must be none; when it was created, '' for now; its time to live, '' if it never expires; its lines; its vector,
 * '' for none; its document; and the document of the record that it replaces, if there is one.
 *
 * -> a {@link REPLY}: `done` with the time of the change, also if the change was sent again; `otherAnalysis`, `register`,
 *    `expired`, `busy`, `abandoned` or `changed`.
 */
export const PUT = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}${REGISTRATION_LUA}${CHANGED_LUA}
local idempotency_key = take()
local done = redis.call('HGET', REQUESTS, idempotency_key)
if done then return { '${REPLY.done}', done } end

local swept, gate, gate_time, analysis = take(), take(), take_number(), take()
local inputs, ids, stored, changes_vectors = {}, {}, {}, false
while has_arguments() do
  local input = { id = take(), guard = take(), created = take(), ttl = take(), lines = take(), vector = take() }
  input.document = take_document()
  if input.guard ~= '' then input.replaced = take_document() end
  changes_vectors = changes_vectors or input.vector ~= '' or input.guard ~= ''
  inputs[#inputs + 1] = input
  if stored[input.id] == nil then
    ids[#ids + 1], stored[input.id] = input.id, false
  end
end

if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local refused = refused_by_staged() or refused_by_registration(gate, gate_time)
if refused then return refused end

if swept == '' and redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then return { '${REPLY.expired}' } end

-- Of each id the header of its record, or false.
read_id_buckets(ids)
for _, id in ipairs(ids) do
  local document, inline = find_record(id)
  stored[id] = live_header(inline) or false
  -- An expired record is still in the index.
  if inline and not stored[id] then return { '${REPLY.expired}' } end
  if inline then stored[id].document, stored[id].inline = document, inline end
end

-- A batch may put an id twice: the second record replaces the first.
local versions, is_changed = {}, false
for _, input in ipairs(inputs) do
  local known = stored[input.id]
  local version = versions[input.id] or known and known.version or 0
  local guard = version == 0 and '' or string.format('%.0f ', version) .. (known and known.document or 'again')
  is_changed = is_changed or guard ~= input.guard
  versions[input.id] = version + 1
end
if is_changed then return changed_reply(inputs, stored) end
local failure = key_error(changes_vectors)
if failure then return failure end
if stat('${STAT.nextDocument}') + #inputs > 2 ^ 32 then
  return redis.error_reply('FULL a document is a number of 32 bits')
end

remember_reply(idempotency_key, now)
if not stats.analysis then set_stat('${STAT.analysis}', analysis) end
set_registered()
if not stats['${STAT.created}'] then set_stat('${STAT.created}', micros) end
local next_document, records = stat('${STAT.nextDocument}'), stat('${STAT.records}')
-- A batch may also replace what it adds.
visible_end = 2 ^ 32
for _, input in ipairs(inputs) do
  local former = stored[input.id]
  local document, version, created
  if former then
    document, created, version = former.document, former.created, former.version + 1
    remove_document(document, input.replaced)
  else
    document, version = next_document, 1
    created = input.created == '' and now or tonumber(input.created)
    add_id(input.id, document)
    next_document, records = next_document + 1, records + 1
  end
  local expires = input.ttl == '' and 0 or now + tonumber(input.ttl)
  -- Clocks go back, and the caller may name a time in the future.
  local updated = now <= created and 0 or now
  local record = {
    id = input.id, created = created, version = version, updated = updated, expires = expires,
    text_flags = input.document.text_flags, lines = input.lines,
  }
  set_record(document, record)
  if expires > 0 then redis.call('ZADD', EXPIRY, expires, document)
  elseif former and former.expires > 0 then redis.call('ZREM', EXPIRY, document) end
  add_document(document, input.document, record)
  if input.vector ~= '' or former then set_vector(document, input.vector) end
  stored[input.id] = { document = document, created = created, version = version, expires = expires }
end
set_stat('${STAT.nextDocument}', next_document)
set_stat('${STAT.records}', records)
finish_change()
return { '${REPLY.done}', string.format('%.0f', now) }
`);
