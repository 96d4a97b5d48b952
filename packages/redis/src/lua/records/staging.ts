import { reading, writing } from '../../client/script.ts';
import { CHANGED_LUA } from './changed-reply.ts';
import { DOCUMENT_INDEX_LUA } from './document-index.ts';
import { STAGED_STAT, STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA, RECORD_KEYS } from './namespace-keys.ts';
import { REGISTRATION_LUA } from './registration.ts';
import { REPLY } from './replies.ts';
import { STAGED_BATCH_LUA } from './staged-batch.ts';
import { STORED_RECORDS_LUA } from './stored-records.ts';

/**
 * Stages records.
 *
 * ARGV: the token of the batch; how many of its records are staged; when it was put, '' in the first slice; a gate and its
 * time, from the reply `register`; the analysis of the texts. Then for each record: its id; version and document of the record
 * that it replaces, '' if there must be none; how many versions the batch adds; when it was created, '' for when it was put;
 * its time to live, '' if it never expires; its lines; its vector, '' for none; its document.
 *
 * -> a {@link REPLY}: `done` with when the batch was put, also if the slice was sent again; `otherAnalysis`, `register`,
 *    `busy`, `abandoned`, `restart` or `expired`; or `changed`, as `PUT`.
 */
export const STAGE = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}${REGISTRATION_LUA}${CHANGED_LUA}
local token, done, put_at, gate, gate_time, analysis = take(), take_number(), take(), take(), take_number(), take()
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local refused = refused_by_staged(token) or refused_by_registration(gate, gate_time)
if refused then return refused end
local staged = read_staged()
if (staged and staged.done or 0) < done or staged and staged.phase == 'broken' then return { '${REPLY.restart}' } end
local reply = { '${REPLY.done}', put_at == '' and string.format('%.0f', now) or put_at }
if staged and staged.done > done then return reply end

local inputs, ids, stored = {}, {}, {}
while has_arguments() do
  local input = { id = take(), guard = take(), versions = take_number(), created = take(), ttl = take() }
  input.lines, input.vector, input.document = take(), take(), take_document()
  inputs[#inputs + 1], ids[#ids + 1] = input, input.id
end
read_id_buckets(ids)
local is_changed = false
for _, input in ipairs(inputs) do
  local document, inline = find_record(input.id)
  local header = live_header(inline)
  -- An expired record is still in the index.
  if inline and not header then return { '${REPLY.expired}' } end
  if header then header.document, header.inline = document, inline end
  stored[input.id] = header
  local guard = header and string.format('%.0f %.0f', header.version, document) or ''
  is_changed = is_changed or guard ~= input.guard
end
if is_changed then return changed_reply(inputs, stored) end
local failure = key_error(false)
if failure then return failure end
staged = staged or { token = token, phase = 'staging', first = stat('${STAT.nextDocument}'), done = 0 }
staged.after = staged.after or staged.first
if staged.after + #inputs > 2 ^ 32 then return redis.error_reply('FULL a document is a number of 32 bits') end

if not stats.analysis then set_stat('${STAT.analysis}', analysis) end
set_registered()
if staged.done == 0 then
  set_stat('${STAT.nextDocument}', staged.first)
  for _, key in ipairs({ ${RECORD_KEYS}, STATS }) do redis.call('PERSIST', key) end
end
stat_prefix = '${STAGED_STAT}'
local at = tonumber(reply[2])
for _, input in ipairs(inputs) do
  local former = stored[input.id]
  local created = former and former.created or tonumber(input.created) or at
  local expires = input.ttl == '' and 0 or at + tonumber(input.ttl)
  local record = {
    id = input.id, created = created, version = (former and former.version or 0) + input.versions,
    updated = at <= created and 0 or at, expires = expires,
    text_flags = input.document.text_flags, lines = input.lines,
  }
  if former then
    redis.call('HSET', PENDING, former.document, pack_pending(expires, input.vector, write_header(record) .. input.lines))
  else
    local number = staged.after
    add_id(input.id, number)
    set_record(number, record)
    add_document(number, input.document, record)
    if expires > 0 or input.vector ~= '' then
      redis.call('HSET', PENDING, number, pack_pending(expires, input.vector, ''))
    end
    staged.after = number + 1
  end
end
staged.done = staged.done + #inputs
write_changes()
set_staged(staged)
write_stats()
return reply
`);

/**
 * Makes a staged batch visible.
 *
 * ARGV: the token of the batch; an idempotency key; how many records are staged; when the batch was put.
 *
 * -> a {@link REPLY}: `done`, also if it was sent again, or `restart`
 */
export const COMMIT = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}
local token, idempotency_key, count, put_at = take(), take(), take_number(), take()
if redis.call('HEXISTS', REQUESTS, idempotency_key) == 1 then return { '${REPLY.done}' } end
local staged = read_staged()
local is_whole = staged and staged.token == token and staged.phase == 'staging' and staged.done == count
if not is_whole then return { '${REPLY.restart}' } end
local failure = key_error(false)
if failure then return failure end

remember_reply(idempotency_key, put_at)
if not stats['${STAT.created}'] then set_stat('${STAT.created}', micros) end
set_stat('${STAT.nextDocument}', staged.after)
set_stat('${STAT.records}', stat('${STAT.records}') + staged.after - staged.first)
staged.phase = 'committed'
if redis.call('HLEN', PENDING) > 0 then set_staged(staged) else set_stat('${STAT.staged}', '') end
local all = redis.call('HGETALL', STATS)
for n = 1, #all, 2 do
  if string.sub(all[n], 1, ${STAGED_STAT.length}) == '${STAGED_STAT}' then
    add_to_stat(string.sub(all[n], ${STAGED_STAT.length + 1}), tonumber(all[n + 1]))
    add_to_stat(all[n], -tonumber(all[n + 1]))
  end
end
finish_change()
return { '${REPLY.done}' }
`);

/**
 * Reads some of what is pending for a batch that is committed.
 *
 * ARGV: how many bytes of records, after which no more are read; then the documents, none for any
 * 100 of them.
 *
 * -> the token of the batch; its first document and the one after its last; then for each document: its number; its record and
 *    what replaces it, or null for both. `[]` if no batch is committed
 */
export const READ_PENDING = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
if not has_pending then return {} end
has_pending = false
local token, first, after = string.match(known[2], '^(%S+) %S+ (%d+) (%d+)')
local reply, bytes = { token, tonumber(first), tonumber(after) }, 0
for _, document in ipairs(#ARGV > 1 and { unpack(ARGV, 2) } or redis.call('HRANDFIELD', PENDING, 100)) do
  local number = tonumber(document)
  local pending = redis.call('HGET', PENDING, document)
  if pending then
    local _, _, replacement = unpack_pending(pending)
    local former = replacement ~= '' and full_record(number, inline_of(number))
    reply[#reply + 1] = number
    reply[#reply + 1] = former or false
    reply[#reply + 1] = former and replacement or false
    bytes = bytes + #replacement
  end
  if bytes > tonumber(ARGV[1]) then break end
end
return reply
`);

/**
 * Puts some of what is pending in its place, and ends the batch after the last of it. May run more than once.
 *
 * ARGV: the token of the batch; the analysis of the texts; then for each document: its number; '1' if its record is replaced;
 * if so, the document of the record and that of what replaces it.
 *
 * -> a {@link REPLY}: `done`, `otherAnalysis`, or `restart` if the batch is no longer there
 */
export const APPLY = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}
has_pending = false
local token, analysis = take(), take()
local staged = read_staged()
if not staged or staged.token ~= token or staged.phase ~= 'committed' then return { '${REPLY.restart}' } end
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local failure = key_error(true)
if failure then return failure end
-- The batch is committed, so it must be finished even without free memory.
redis.call('HDEL', PENDING, '')
while has_arguments() do
  local number, replaces = take_number(), take() == '1'
  local former = replaces and take_document()
  local document = replaces and take_document()
  local pending = redis.call('HGET', PENDING, number)
  if pending then
    local expires, vector, replacement = unpack_pending(pending)
    if replaces then
      local record = read_header(replacement)
      record.lines = string.sub(replacement, record.lines_at)
      remove_document(number, former)
      set_record(number, record)
      add_document(number, document, record)
    end
    if expires > 0 then redis.call('ZADD', EXPIRY, expires, number) else redis.call('ZREM', EXPIRY, number) end
    if replaces or vector ~= '' then set_vector(number, vector) end
    redis.call('HDEL', PENDING, number)
  end
end
if redis.call('HLEN', PENDING) > 0 then set_staged(staged) else set_stat('${STAT.staged}', '') end
finish_change()
return { '${REPLY.done}' }
`);

/**
 * Reads the last documents of a batch that is not committed.
 *
 * ARGV: how many documents; how many bytes of records, after which no more are read.
 *
 * -> the entry of the batch; 1 if its process has stopped, else 0; the first of the documents that were looked at; then
 *    documents and records. `[]` if no batch is staged
 */
export const READ_STAGED = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
visible_end = 2 ^ 32
local entry = known[2]
if not entry then return {} end
local first, after, until_ms = string.match(entry, '^%S+ %S+ (%d+) (%d+) %d+ (%d+)')
local lowest = math.max(tonumber(first), after - ARGV[1])
local reply, bytes = { entry, tonumber(until_ms) < now and 1 or 0, tonumber(after) }, 0
for document = after - 1, lowest, -1 do
  local record = full_record(document, inline_of(document))
  if record then
    reply[#reply + 1] = document
    reply[#reply + 1] = record
    bytes = bytes + #record
  end
  reply[3] = document
  if bytes > tonumber(ARGV[2]) then break end
end
return reply
`);

/**
 * Removes the last documents of a batch that is not committed, and the batch after its last one.
 *
 * ARGV: the entry of the batch, as it must still be; the analysis of the texts; the first document to remove; then for each
 * record: its id; its number; its document.
 *
 * -> a {@link REPLY}: `done`, `otherAnalysis`, or `restart` if the entry is another one
 */
export const DISCARD = writing(`${DOCUMENT_INDEX_LUA}${STAGED_BATCH_LUA}
visible_end = 2 ^ 32
local entry, analysis, lowest = take(), take(), take_number()
if stats['${STAT.staged}'] ~= entry then return { '${REPLY.restart}' } end
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local failure = key_error(false)
if failure then return failure end
local staged = read_staged()
stat_prefix = '${STAGED_STAT}'
-- This also lets the rest run without free memory.
if lowest <= staged.first then redis.call('UNLINK', PENDING) else redis.call('HDEL', PENDING, '') end
while has_arguments() do
  local id, number = take(), take_number()
  local document = take_document()
  if find_record(id) == number then
    remove_document(number, document)
    drop_record(id)
    if lowest > staged.first then redis.call('HDEL', PENDING, number) end
  end
end
-- Keeps the time, so that others go on at once if this process stops.
staged.after, staged.phase = lowest, 'broken'
if lowest > staged.first then write_staged(staged) else set_stat('${STAT.staged}', '') end
finish_change()
return { '${REPLY.done}' }
`);
