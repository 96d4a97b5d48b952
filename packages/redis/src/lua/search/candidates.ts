import { reading } from '../../client/script.ts';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { POSTINGS_LUA } from '../records/postings.ts';

/** How many bytes of postings one script reads. */
const MAX_BYTES = 500_000;

/**
 * Reads the postings of terms as they are stored, in steps.
 *
 * ARGV: the term and the field to begin with, as the reply before said, 1 and 0 at first; the terms, with their number.
 *
 * -> the term and the field to go on with, 0 and 0 at the end; then texts of postings, also of staged documents
 */
export const CANDIDATES = reading(`${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${POSTINGS_LUA}
local term_number, field, terms = take_number(), take_number(), take_list()
local reply, bytes = { 0, 0 }, 0
for n = term_number, #terms do
  local last = redis.call('HGET', TERMS, terms[n])
  if last then
    for number = field, struct.unpack('>I4', last) - 1 do
      local text = redis.call('HGET', TERMS, terms[n] .. '\\0' .. number) or ''
      reply[#reply + 1], bytes = text, bytes + #text
      if bytes > ${MAX_BYTES} then
        reply[1], reply[2] = n, number + 1
        return reply
      end
    end
    reply[#reply + 1] = sub(last, 5)
  else
    local bucket = redis.call('HGET', TERMS, bucket_of(terms[n])) or ''
    local at, from, after = find_in_bucket(bucket, terms[n])
    if at then reply[#reply + 1] = sub(bucket, from, after - 1) end
  end
  field = 0
end
return reply
`);
