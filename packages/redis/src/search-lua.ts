import { LATIN_LANGUAGES } from '@keepsake/search';
import { FILTER_LUA } from './filter-rules.ts';
import { KEYS_LUA } from './index-lua.ts';
import { POSTINGS_LUA } from './postings-lua.ts';
import { RECORDS_LUA } from './records-lua.ts';
import { SCORES_LUA } from './scores-lua.ts';
import { reading } from './script.ts';
import { TERM_SHARES_LUA } from './term-shares-lua.ts';
import { WINDOWS_LUA } from './windows-lua.ts';

/** Of more speakers than this, only the user and the assistant are told apart. */
const MOST_SPEAKERS = 200;

/** How many documents are looked at for their times, if the query names one. */
const MOST_DATED = 500;

/** How many words are told apart: the bits of `HostedMatch.held`. */
const MOST_FLAGS = 31;

const DAY_MS = 86_400_000;

/**
 * Finds what may rank first.
 *
 * ARGV: the analysis of texts; '' if expired records can be removed first; the languages that the query was read for; the
 * size of the pool; how many turns on each side of a document may count; a filter as JSON, or ''; '1' if the query has a
 * vector; the nearest documents, four bytes each; the times that the query names (see `write-times.ts`); then for each word
 * of the query: its weight, its terms, what a speaker of that name is called, and how many groups of related terms it has,
 * each with its weight and its terms. Lists begin with their length.
 *
 * -> `['ANALYSIS', name]`: the texts of the namespace were analysed in another way.
 * -> `['DUE']`: remove expired records first.
 * -> `['HELD', languages]`: read the query for these languages.
 * -> `['POOL', [word, group, worth, …], [number, name, …], documents, variety]`: the worth of each word and of each group of
 *    related terms that any document holds, the highest first (group 0 is the word itself); the speakers; what
 *    `search-reply.ts` reads of the best documents by words, of the nearest, and of the turns around both; how much lengths
 *    vary.
 */
export const SEARCH = reading(`${KEYS_LUA}${RECORDS_LUA}${POSTINGS_LUA}${TERM_SHARES_LUA}${FILTER_LUA}
local PLACE, SPAN = 18, 128
local MOST_DATED, DAY_MS, MEAN_YEAR_MS = ${MOST_DATED}, ${DAY_MS}, ${365.2425 * DAY_MS}

-- Of a record that is a turn: 1, its thread, its index, its speaker.
local function turn_of(front, fields)
  local turn = cjson.decode('[' .. string.match(front, '^[^\\n]*', fields.rest) .. ']')
  return turn[2] and turn or nil
end

-- When it was said, if it is a turn, or last changed. The line of a turn has a comma behind its first digit.
local function time_of(front, fields)
  local is_turn = string.sub(front, fields.rest + 1, fields.rest + 1) == ','
  if is_turn or fields.version == 1 or fields.updated == 0 then return fields.created end
  return fields.updated
end

local passing = {}
local function may_be_found(document, rules)
  if passing[document] == nil then
    local front = front_of(document)
    passing[document] = front and passes(rules, document, front) or false
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
local function take_times()
  local times = {}
  for n = 1, tonumber(take()) do
    times[n] = { gain = tonumber(take()), from = {}, to = {} }
    for place = 1, tonumber(take()) do times[n].from[place], times[n].to[place] = tonumber(take()), tonumber(take()) end
  end
  return times
end

local analysis, swept, read_for, pool, around = take(), take(), take(), tonumber(take()), tonumber(take())
local rules = read_rules(take())
local has_vector, nearest, times = take() == '1', take(), take_times()
local LANGUAGES = { ${LATIN_LANGUAGES.map((language) => `'${language}'`).join(', ')} }
local facts = redis.call('HMGET', FACTS, 'docs', 'length', 'squares', 'analysis',
  ${LATIN_LANGUAGES.map((language) => `'in:${language}'`).join(', ')})
local analysed = facts[4]
if analysed and analysed ~= analysis then return { 'ANALYSIS', analysed } end
if redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then
  if swept == '' then return { 'DUE' } end
  -- Records that have expired since pass no filter, not even one without rules.
  rules = rules or {}
end

local documents = tonumber(facts[1] or 0)
if documents == 0 then return { 'POOL', {}, {}, '', '0' } end
local held_in = {}
for n, language in ipairs(LANGUAGES) do
  if facts[4 + n] then held_in[#held_in + 1] = { language, tonumber(facts[4 + n]), n } end
end
table.sort(held_in, function(a, b) return a[2] > b[2] or (a[2] == b[2] and a[3] < b[3]) end)
for n, language in ipairs(held_in) do held_in[n] = language[1] end
local languages = table.concat(held_in, ',')
if languages ~= read_for then return { 'HELD', languages } end

local named, speakers, assistant = {}, {}, nil
local function read_speaker(name, json)
  local speaker = cjson.decode(json)
  speakers[#speakers + 1], speakers[#speakers + 2] = speaker[1], name
  if name == 'assistant' then assistant = speaker[1] end
  for called = 3, #speaker do named[speaker[called]] = (named[speaker[called]] or 0) + speaker[2] end
end
if redis.call('HLEN', SPEAKERS) <= ${MOST_SPEAKERS} then
  local all = redis.call('HGETALL', SPEAKERS)
  for n = 1, #all, 2 do read_speaker(all[n], all[n + 1]) end
else
  for _, role in ipairs({ 'user', 'assistant' }) do
    local known = redis.call('HGET', SPEAKERS, role)
    if known then read_speaker(role, known) end
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
  local weight, terms, names, groups = tonumber(take()), take_list(), take_list(), tonumber(take())
  local at_least = 0
  for _, name in ipairs(names) do at_least = math.max(at_least, named[name] or 0) end
  local texts, size = united(terms)
  find(word, 0, texts, size, weight, at_least)
  for group = 1, groups do
    local share, related, lists, sum = tonumber(take()), take_list(), {}, 0
    for _, term in ipairs(related) do
      local texts, size = postings_of(term)
      for _, text in ipairs(texts) do lists[#lists + 1] = text end
      sum = sum + size
    end
    find(word, group, lists, sum, weight * share, 0)
  end
end
table.sort(found, function(a, b)
  if a.worth ~= b.worth then return a.worth > b.worth end
  if a.word ~= b.word then return a.word < b.word end
  return a.group < b.group
end)

local norm = length_norm(documents, tonumber(facts[2]), tonumber(facts[3]))
local shares, worths = term_shares(norm), {}
for n, one in ipairs(found) do
  local worth = {}
  for weight = 0, 255 do worth[weight] = one.worth * shares[weight] end
  for _, text in ipairs(one.texts) do give(text, worth, n <= ${MOST_FLAGS} and 2 ^ (n - 1)) end
  worths[#worths + 1] = one.word
  worths[#worths + 1] = one.group
  worths[#worths + 1] = string.format('%.17g', one.worth)
end

local parts, seen = {}, {}
local function look_at(document)
  if seen[document] then return end
  seen[document] = true
  local front = front_of(document)
  local fields = head(front)
  local turn = fields and turn_of(front, fields)
  if turn then want_around(document, turn[2], turn[3], around)
  elseif fields then
    local flags = 4 + ((not rules or may_be_found(document, rules)) and 1 or 0)
    local place = struct.pack('>BI4BI4d', 0, document, fields.flags, 0, time_of(front, fields))
    parts[#parts + 1] = told(place, 0, document, flags)
  end
end
for _, document in ipairs(best_dated(pool, nil, times)) do look_at(document) end
if rules then
  for _, document in ipairs(best_dated(pool, rules, times)) do look_at(document) end
end
for place = 1, #nearest, 4 do look_at((struct.unpack('>I4', nearest, place))) end
for _, part in ipairs(told_windows(rules, has_vector, assistant)) do parts[#parts + 1] = part end
return { 'POOL', worths, speakers, table.concat(parts), string.format('%.17g', norm.variety) }
`);

/**
 * Which of some documents pass a filter.
 *
 * ARGV: a filter as JSON, or '' for all that exist; how many to find; the documents, four bytes each.
 *
 * -> the first of the documents that pass
 */
export const PASSING = reading(`${KEYS_LUA}${RECORDS_LUA}${FILTER_LUA}
local rules, wanted, documents, found = read_rules(ARGV[1]) or {}, tonumber(ARGV[2]), ARGV[3], {}
for at = 1, #documents, 4 do
  if #found == wanted then break end
  local document = struct.unpack('>I4', documents, at)
  local front = front_of(document)
  if front and passes(rules, document, front) then found[#found + 1] = document end
end
return found
`);

/** The records of documents. -> `[document, record, …]`, without those that are gone. */
export const FETCH = reading(`${KEYS_LUA}${RECORDS_LUA}
local found = {}
for _, document in ipairs(ARGV) do
  local front = front_of(tonumber(document))
  local stored = head(front) and whole(document, front)
  if stored then
    found[#found + 1] = tonumber(document)
    found[#found + 1] = stored
  end
end
return found
`);
