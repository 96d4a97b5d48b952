import { CHUNK } from './script.ts';

/** Reads and writes many values of a key at a time: each call of Redis from a script costs about a microsecond. */
export const MANY_LUA = `
-- Hands over what the fields of a hash hold, one by one; false where there is none.
local function each_value(key, fields, take)
  for from = 1, #fields, ${CHUNK} do
    local values = redis.call('HMGET', key, unpack(fields, from, math.min(from + ${CHUNK - 1}, #fields)))
    for n, value in ipairs(values) do take(fields[from + n - 1], value) end
  end
end

-- A function that has a command take one or two values more, and one that has it take what still waits for that.
local function writer(command, key)
  local waiting, size = {}, 0
  local function flush()
    if size > 0 then redis.call(command, key, unpack(waiting, 1, size)) end
    waiting, size = {}, 0
  end
  local function write(one, other)
    waiting[size + 1], waiting[size + 2] = one, other
    size = size + (other == nil and 1 or 2)
    if size >= ${CHUNK} then flush() end
  end
  return write, flush
end
`;
