import { UNPACK_LIMIT } from '../client/script.ts';

/**
 * Lua: reads and writes the fields of a hash in batches, because each call of Redis from a script costs about a microsecond.
 *
 * - `each_value(key, fields, take)` reads fields, and calls `take(field, value)` for each; `value` is false if it is missing.
 * - `hash_writer(key)` returns `set(field, value)`, which writes with a delay and removes a field for '', and `flush()`.
 */
export const HASH_BATCHES_LUA = `
local function each_value(key, fields, take)
  for from = 1, #fields, ${UNPACK_LIMIT} do
    local values = redis.call('HMGET', key, unpack(fields, from, math.min(from + ${UNPACK_LIMIT - 1}, #fields)))
    for n, value in ipairs(values) do take(fields[from + n - 1], value) end
  end
end

local function hash_writer(key)
  local pending, size = {}, 0
  local function flush()
    if size > 0 then redis.call('HSET', key, unpack(pending, 1, size)) end
    pending, size = {}, 0
  end
  local function set(field, value)
    if value == '' then return redis.call('HDEL', key, field) end
    pending[size + 1], pending[size + 2] = field, value
    size = size + 2
    if size >= ${UNPACK_LIMIT} then flush() end
  end
  return set, flush
end
`;
