import { reading, writing } from '../../client/script.ts';
import { DOCUMENT_INDEX_LUA } from './document-index.ts';
import { STAGED_STAT, STAT } from './index-stats.ts';
import { NAMESPACE_KEYS_LUA, RECORD_KEYS } from './namespace-keys.ts';
import { REGISTRATION_LUA } from './registration.ts';
import { REPLY } from './replies.ts';
import { STORED_RECORDS_LUA } from './stored-records.ts';

/*
 * A large batch is put in slices, so that no script takes long, and yet all or none of it. The slices stage the records under
 * the numbers after those of all documents. No other script sees these, and the statistics do not count them. Then one short
 * script raises the number of the next document, which makes all of them visible at once.
 *
 * Only one batch is staged at a time, and nobody else puts records meanwhile. `staged` in the statistics has its token, its
 * first document, the document after its last, and until when its process must send the next slice. After that, whoever wants
 * to put discards it, in slices too.
 */

/** How long a process has for each slice. */
const PATIENCE_MS = 10_000;

/** Lua: reads and writes the entry of the staged batch. Needs `INDEX_STATS_LUA`. */
const STAGED_LUA = `
local function read_staged()
  local token, first, after, until_ms = string.match(stats['${STAT.staged}'] or '', '^(%S+) (%d+) (%d+) (%d+)$')
  return token and { token = token, first = tonumber(first), after = tonumber(after), until_ms = tonumber(until_ms) }
end

local function set_staged(token, first, after)
  set_stat('${STAT.staged}', string.format('%s %.0f %.0f %.0f', token, first, after, now + ${PATIENCE_MS}))
end
`;

/** Lua: `refused_by_staged()` returns the reply `busy` or `abandoned` if a batch of another token is staged. */
export const STAGED_REFUSAL_LUA = `${STAGED_LUA}
local function refused_by_staged(own_token)
  local staged = read_staged()
  if not staged or staged.token == own_token then return nil end
  if staged.until_ms >= now then return { '${REPLY.busy}' } end
  return { '${REPLY.abandoned}', stats['${STAT.staged}'] }
end
`;

/**
 * Stages records that must not exist.
 *
 * ARGV: the token of the batch; how many of its records are staged; when it was put, '' in the first slice; a gate and its
 * time, from the reply `register`; the analysis of the texts. Then for each record: its id; when it was created, '' for when
 * it was put; its lines; its document.
 *
 * -> a {@link REPLY}: `done` with when the batch was put, also if the slice was sent again; `otherAnalysis`, `register`,
 *    `busy`, `abandoned` or `restart`; or `changed` if an id is taken.
 */
export const STAGE = writing(`${DOCUMENT_INDEX_LUA}${STAGED_REFUSAL_LUA}${REGISTRATION_LUA}
local token, done, put_at, gate, gate_time, analysis = take(), take_number(), take(), take(), take_number(), take()
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local refused = refused_by_staged(token) or refused_by_registration(gate, gate_time)
if refused then return refused end
local staged = read_staged()
if (staged and staged.after - staged.first or 0) < done then return { '${REPLY.restart}' } end
local first = staged and staged.first or stat('${STAT.nextDocument}')
local number = staged and staged.after or first
local reply = { '${REPLY.done}', put_at == '' and string.format('%.0f', now) or put_at }
if number - first > done then return reply end

local inputs, ids = {}, {}
while has_arguments() do
  local input = { id = take(), created = take(), lines = take() }
  input.document = take_document()
  inputs[#inputs + 1], ids[#ids + 1] = input, input.id
end
read_id_buckets(ids)
for _, id in ipairs(ids) do
  -- An expired record is still in the index.
  if find_record(id) then return { '${REPLY.changed}' } end
end
local failure = key_error(false)
if failure then return failure end
if number + #inputs > 2 ^ 32 then return redis.error_reply('FULL a document is a number of 32 bits') end

if not stats.analysis then set_stat('${STAT.analysis}', analysis) end
set_registered()
if not staged then
  set_stat('${STAT.nextDocument}', first)
  for _, key in ipairs({ ${RECORD_KEYS}, STATS }) do redis.call('PERSIST', key) end
end
stat_prefix = '${STAGED_STAT}'
for _, input in ipairs(inputs) do
  local at = tonumber(reply[2])
  local created = input.created == '' and at or tonumber(input.created)
  add_id(input.id, number)
  set_record(number, {
    id = input.id, created = created, version = 1, updated = at == created and 0 or at, expires = 0,
    text_flags = input.document.text_flags, lines = input.lines,
  })
  add_document(number, input.document, created)
  number = number + 1
end
write_changes()
set_staged(token, first, number)
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
export const COMMIT = writing(`${DOCUMENT_INDEX_LUA}${STAGED_LUA}
local token, idempotency_key, count, put_at = take(), take(), take_number(), take()
if redis.call('HEXISTS', REQUESTS, idempotency_key) == 1 then return { '${REPLY.done}' } end
local staged = read_staged()
if not staged or staged.token ~= token or staged.after - staged.first ~= count then return { '${REPLY.restart}' } end
local failure = key_error(false)
if failure then return failure end

remember_reply(idempotency_key, put_at)
if not stats['${STAT.created}'] then set_stat('${STAT.created}', micros) end
set_stat('${STAT.nextDocument}', staged.after)
set_stat('${STAT.records}', stat('${STAT.records}') + count)
set_stat('${STAT.staged}', '')
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
 * Reads the last documents of a staged batch.
 *
 * ARGV: how many documents.
 *
 * -> the entry of the batch; 1 if its process has stopped, else 0; the first of the documents that were looked at; then
 *    documents and records. `[]` if no batch is staged
 */
export const READ_STAGED = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}
visible_end = 2 ^ 32
local entry = redis.call('HGET', STATS, '${STAT.staged}')
if not entry then return {} end
local first, after, until_ms = string.match(entry, '^%S+ (%d+) (%d+) (%d+)')
local lowest = math.max(tonumber(first), after - ARGV[1])
local reply = { entry, tonumber(until_ms) < now and 1 or 0, lowest }
for document = after - 1, lowest, -1 do
  local record = full_record(document, inline_of(document))
  if record then
    reply[#reply + 1] = document
    reply[#reply + 1] = record
  end
end
return reply
`);

/**
 * Removes the last documents of a staged batch, and the batch after its last one.
 *
 * ARGV: the entry of the batch, as it must still be; the analysis of the texts; the first document to remove; then for each
 * record: its id; its number; its document.
 *
 * -> a {@link REPLY}: `done`, `otherAnalysis`, or `restart` if the entry is another one
 */
export const DISCARD = writing(`${DOCUMENT_INDEX_LUA}${STAGED_LUA}
visible_end = 2 ^ 32
local entry, analysis, lowest = take(), take(), take_number()
if stats['${STAT.staged}'] ~= entry then return { '${REPLY.restart}' } end
if stats.analysis and stats.analysis ~= analysis then return { '${REPLY.otherAnalysis}', stats.analysis } end
local failure = key_error(false)
if failure then return failure end
local staged = read_staged()
stat_prefix = '${STAGED_STAT}'
while has_arguments() do
  local id, number = take(), take_number()
  local document = take_document()
  if find_record(id) == number then
    drop_record(id)
    remove_document(number, document)
  end
end
-- Keeps the time, so that others go on at once if this process stops.
set_stat('${STAT.staged}', lowest > staged.first
  and string.format('%s %.0f %.0f %.0f', staged.token, staged.first, lowest, staged.until_ms) or '')
finish_change()
return { '${REPLY.done}' }
`);
