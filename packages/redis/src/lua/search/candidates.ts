import { reading } from '../../client/script.ts';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { FILTER_LUA } from '../records/filter.ts';
import { STAT } from '../records/index-stats.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { POSTING_LISTS_LUA } from '../records/posting-lists.ts';
import { POSTINGS_LUA } from '../records/postings.ts';
import { REPLY } from '../records/replies.ts';
import { STORED_RECORDS_LUA } from '../records/stored-records.ts';
import { VALUE_DOCUMENTS_LUA } from '../records/value-documents.ts';

/** How many bytes of postings one script reads. */
const MAX_BYTES = 500_000;

/** More fields than a class of a term has. */
const FIELDS_OF_CLASS = 2 ** 32;

/**
 * Reads the postings of terms as they are stored, in steps.
 *
 * ARGV: the term and the field to begin with, as the reply before said, 1 and 0 at first; the terms, with their number.
 *
 * -> the term and the field to go on with, 0 and 0 at the end; then texts of postings, also of staged documents
 */
export const CANDIDATES = reading(`${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${POSTINGS_LUA}
local term_number, first_field, terms = take_number(), take_number(), take_list()
local reply, bytes = { 0, 0 }, 0

-- Adds fields of a term from one on. Returns the field to go on with, nil after the last.
local function add_fields(term, last, from)
  for number = from, struct.unpack('>I4', last) - 1 do
    if bytes > ${MAX_BYTES} then return number end
    local text = redis.call('HGET', TERMS, term .. '\\0' .. number) or ''
    reply[#reply + 1], bytes = text, bytes + #text
  end
  reply[#reply + 1], bytes = sub(last, 5), bytes + #last
end

local function add_term(term, from)
  local last = redis.call('HGET', TERMS, term)
  if not last then
    local bucket = redis.call('HGET', TERMS, bucket_of(term)) or ''
    local at, first, after = find_in_bucket(bucket, term)
    if at then reply[#reply + 1] = sub(bucket, first, after - 1) end
    return
  end
  if not is_split(last) then return add_fields(term, last, from) end
  -- By class, so that no field is left out if others come or go between two steps.
  local first_class = math.floor(from / ${FIELDS_OF_CLASS})
  for _, class in ipairs((read_counts(last))) do
    if class >= first_class then
      local name = class_term(term, class)
      local of_class = redis.call('HGET', TERMS, name)
      local first = class == first_class and from % ${FIELDS_OF_CLASS} or 0
      local next_field = of_class and add_fields(name, of_class, first)
      if next_field then return class * ${FIELDS_OF_CLASS} + next_field end
    end
  end
end

for n = term_number, #terms do
  if bytes > ${MAX_BYTES} then
    reply[1] = n
    return reply
  end
  local next_field = add_term(terms[n], n == term_number and first_field or 0)
  if next_field then
    reply[1], reply[2] = n, next_field
    return reply
  end
end
return reply
`);

/**
 * Finds an indexed value that all documents have that pass a filter.
 *
 * ARGV: a filter as JSON, or ''; the fields that must be indexed as JSON, or ''.
 *
 * -> a {@link REPLY}: `found` with the term of the value that the fewest documents have, or with nothing; or `fields`
 */
export const REQUIRED_VALUE = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}${FILTER_LUA}${POSTINGS_LUA}
${POSTING_LISTS_LUA}${VALUE_DOCUMENTS_LUA}
-- Without records, there is nothing to index.
local is_empty = tonumber(redis.call('HGET', STATS, '${STAT.records}') or 0) == 0
if not is_empty and lacks_fields(ARGV[2]) then return { '${REPLY.fields}' } end
local list = rarest_value(read_rules(ARGV[1]))
return { '${REPLY.found}', list and list.value }
`);
