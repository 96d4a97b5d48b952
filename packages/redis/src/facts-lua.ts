/*
 * What is known of a namespace as a whole: the hash `facts`.
 *
 * next, base    the number of the next document, and a number that no document is below
 * records       the number of records
 * born          when the namespace was created, in microseconds since 1970
 * registered    when the namespace was last registered, in milliseconds since 1970
 * analysis      the analysis of its texts: a version and a language
 * docs          the number of documents that search looks at
 * length        the sum of their lengths, in terms
 * squares       the sum of the squares of their lengths: with it, search computes how much lengths vary
 * speaker       the number of the newest speaker
 * in:LANGUAGE   the number of documents in a language
 * vectors       the number of the newest change of a vector
 *
 * Lengths are those that `hostedTerms` gives, from 1 to 9,116. Removing a document subtracts what adding it had added.
 */

/** Reads the facts that every change needs, and writes the facts that it has changed. */
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

-- For facts that scripts only add to and never read.
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
