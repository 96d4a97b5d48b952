/*
 * What is known of a namespace as a whole: the hash `facts`.
 *
 * next, base    the number of the next document, and one that no document is below
 * records       how many records there are
 * born          when the namespace came into being, in microseconds since 1970
 * registered    when the registry was last told of the namespace, in milliseconds since 1970
 * analysis      by what its texts were analysed
 * docs, length  how many documents are found, and how many terms they have
 * turns         how many of them are turns
 * speaker       the number of the newest speaker
 * in:LANGUAGE   how many documents are in a language
 * vectors       the number of the newest vector
 */

/** Reads the facts that every change needs, and writes those that it has changed. */
export const FACTS_LUA = `
local NAMES = { 'analysis', 'registered', 'born', 'base', 'next', 'records' }
local facts, other_facts, counts = {}, {}, {}
for n, value in ipairs(redis.call('HMGET', FACTS, unpack(NAMES))) do facts[NAMES[n]] = value end

local function fact(name)
  return tonumber(facts[name] or 0)
end

local function set_fact(name, value)
  facts[name], other_facts[name] = value, type(value) == 'number' and string.format('%.0f', value) or value
end

-- Of what is only counted nobody asks here how many there are.
local function count(name, by)
  counts[name] = (counts[name] or 0) + by
end

local function write_facts()
  local set, flush = setter(FACTS)
  for name, value in pairs(other_facts) do set(name, value) end
  flush()
  for name, by in pairs(counts) do
    if by ~= 0 and redis.call('HINCRBY', FACTS, name, by) == 0 then redis.call('HDEL', FACTS, name) end
  end
end
`;
