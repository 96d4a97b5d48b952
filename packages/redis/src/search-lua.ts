import { FILTER_LUA } from './filter-rules.ts';
import { KEYS_LUA } from './index-lua.ts';
import { POSTINGS_LUA } from './postings-lua.ts';
import { RECORDS_LUA } from './records-lua.ts';
import { SCORES_LUA } from './scores-lua.ts';
import { reading } from './script.ts';
import { SHARES_LUA } from './weigh.ts';
import { WINDOWS_LUA } from './windows-lua.ts';

/**
 * Searches.
 *
 * ARGV: by what texts are analysed; '' where what has expired may be removed first; the languages that the query was read for; how many documents a ranking of conversations begins with, and how
 * many turns on each side of them; how many entries are wanted; a filter as JSON, or ''; then for each word of the query:
 * how often it comes, its terms, by how many names it may be called and those, and how many groups of related terms it
 * has, each with its weight and its terms. Terms come with their number first.
 *
 * -> `['ANALYSIS', name]`: those that are there were analysed by something else.
 * -> `['DUE']`: remove first what has expired.
 * -> `['HELD', languages]`: read the query for these languages.
 * -> `['HITS', document, record, score, …]`: where no record is a turn.
 * -> `['POOL', [word, group, worth, …], [number, name, …], documents]`: the worth of each word and of each group that is
 *    there, the highest first (group 0 is the word itself); the speakers, unless they are too many; what is told of the
 *    best documents and those around them.
 */
export const SEARCH = reading(`${KEYS_LUA}${RECORDS_LUA}${POSTINGS_LUA}${SHARES_LUA}${FILTER_LUA}
local PLACE, SPAN = 18, 128

-- Of a record that is a turn: 1, its thread, its index, its speaker.
local function turn_of(stored, fields)
  local turn = cjson.decode('[' .. string.match(stored, '^[^\\n]*', fields.rest) .. ']')
  return turn[2] and turn or nil
end

local passing = {}
local function may_be_found(document, rules)
  if passing[document] == nil then
    local stored = stored_of(document)
    passing[document] = stored and passes(rules, stored) or false
  end
  return passing[document]
end
${SCORES_LUA}${WINDOWS_LUA}
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
local function take_list()
  local list = {}
  for n = 1, tonumber(take()) do list[n] = take() end
  return list
end

local analysis, swept, read_for, pool, around, limit = take(), take(), take(), tonumber(take()), tonumber(take()), tonumber(take())
local rules = read_rules(take())
local LANGUAGES = { 'en', 'de', 'es', 'fr', 'it', 'nl', 'pt' }
local facts = redis.call('HMGET', FACTS, 'docs', 'length', 'turns',
  'in:en', 'in:de', 'in:es', 'in:fr', 'in:it', 'in:nl', 'in:pt', 'analysis')
local analysed = facts[4 + #LANGUAGES]
if analysed and analysed ~= analysis then return { 'ANALYSIS', analysed } end
if redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then
  if swept == '' then return { 'DUE' } end
  -- What has expired since passes no filter, not even one without rules.
  rules = rules or {}
end

local documents = tonumber(facts[1] or 0)
if documents == 0 then return { 'HITS' } end
local held_in = {}
for n, language in ipairs(LANGUAGES) do
  if facts[3 + n] then held_in[#held_in + 1] = { language, tonumber(facts[3 + n]), n } end
end
table.sort(held_in, function(a, b) return a[2] > b[2] or (a[2] == b[2] and a[3] < b[3]) end)
for n, language in ipairs(held_in) do held_in[n] = language[1] end
local languages = table.concat(held_in, ',')
if languages ~= read_for then return { 'HELD', languages } end

local talks = facts[3] and true or false
local named, speakers = {}, {}
if talks and redis.call('HLEN', SPEAKERS) <= 200 then
  local all = redis.call('HGETALL', SPEAKERS)
  for n = 1, #all, 2 do
    local speaker = cjson.decode(all[n + 1])
    speakers[#speakers + 1] = speaker[1]
    speakers[#speakers + 1] = all[n]
    for called = 3, #speaker do named[speaker[called]] = (named[speaker[called]] or 0) + speaker[2] end
  end
end

local function idf(matching)
  return math.log(1 + (documents - matching + 0.5) / (matching + 0.5))
end

local found = {}
local function find(word, group, lists, size, weight, at_least)
  if size == 0 then return end
  local worth = weight * idf(math.min(math.max(size, at_least), documents))
  found[#found + 1] = { word = word, group = group, texts = lists, worth = worth }
end
for word = 1, tonumber(take()) do
  local times, terms, names, groups = tonumber(take()), take_list(), take_list(), tonumber(take())
  local at_least = 0
  for _, name in ipairs(names) do at_least = math.max(at_least, named[name] or 0) end
  local texts, size = united(terms)
  find(word, 0, texts, size, times, at_least)
  for group = 1, groups do
    local weight, related, lists, sum = tonumber(take()), take_list(), {}, 0
    if talks then
      for _, term in ipairs(related) do
        local texts, size = postings_of(term)
        for _, text in ipairs(texts) do lists[#lists + 1] = text end
        sum = sum + size
      end
      find(word, group, lists, sum, times * weight, 0)
    end
  end
end
table.sort(found, function(a, b)
  if a.worth ~= b.worth then return a.worth > b.worth end
  if a.word ~= b.word then return a.word < b.word end
  return a.group < b.group
end)

local share = shares(tonumber(facts[2] or 0) / documents)
local worths = { 'POOL', {}, speakers }
for n, one in ipairs(found) do
  local worth = {}
  for weight = 0, 255 do worth[weight] = one.worth * share[weight] end
  local noted = one.group > 0 and {} or nil
  for _, text in ipairs(one.texts) do
    if talks and n <= 31 then give_and_hold(text, worth, 2 ^ (n - 1), noted) else give(text, worth) end
  end
  local told_of = worths[2]
  told_of[#told_of + 1] = one.word
  told_of[#told_of + 1] = one.group
  told_of[#told_of + 1] = string.format('%.17g', one.worth)
end

if not talks then
  local hits = { 'HITS' }
  for _, document in ipairs(best(limit, rules)) do
    local stored = stored_of(document)
    if stored then
      hits[#hits + 1] = document
      hits[#hits + 1] = stored
      hits[#hits + 1] = string.format('%.17g', scores[document])
    end
  end
  return hits
end

local parts, seen = {}, {}
local function look_at(documents_found)
  for _, document in ipairs(documents_found) do
    local stored = not seen[document] and stored_of(document)
    seen[document] = true
    local fields = head(stored)
    local turn = fields and turn_of(stored, fields)
    if turn then want_around(document, turn[2], turn[3], around)
    elseif fields then
      local flags = 4 + ((not rules or may_be_found(document, rules)) and 1 or 0)
      parts[#parts + 1] = told(struct.pack('>BI4BI4d', 0, document, 0, 0, fields.created), 0, document, flags)
    end
  end
end
look_at(best(pool))
if rules then look_at(best(pool, rules)) end
for _, part in ipairs(told_windows(rules)) do parts[#parts + 1] = part end
worths[4] = table.concat(parts)
return worths
`);

/** The records of documents. -> `[document, record, …]`; those that are gone are left out. */
export const FETCH = reading(`${KEYS_LUA}${RECORDS_LUA}
local found = {}
for _, document in ipairs(ARGV) do
  local stored = stored_of(tonumber(document))
  if head(stored) then
    found[#found + 1] = tonumber(document)
    found[#found + 1] = stored
  end
end
return found
`);
