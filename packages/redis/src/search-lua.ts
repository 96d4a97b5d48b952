import { FILTER_LUA } from './filter-rules.ts';
import { KEYS_LUA } from './index-lua.ts';
import { POSTINGS_LUA } from './postings-lua.ts';
import { reading } from './script.ts';
import { SHARES_LUA } from './weigh.ts';

/** Reads postings, and gives documents what their words are worth. This is where most of the time of a search goes. */
const SCORES_LUA = `
local scores, held = {}, {}

local function give(postings, worths)
  for at = 1, #postings, 5 do
    local a, b, c, d, weight = byte(postings, at, at + 4)
    local document = ((a * 256 + b) * 256 + c) * 256 + d
    scores[document] = (scores[document] or 0) + worths[weight]
  end
end

-- The same, and notes the word that they hold. A document that is in several of the texts is noted by \`noted\` once.
local function give_and_hold(postings, worths, flag, noted)
  for at = 1, #postings, 5 do
    local a, b, c, d, weight = byte(postings, at, at + 4)
    local document = ((a * 256 + b) * 256 + c) * 256 + d
    scores[document] = (scores[document] or 0) + worths[weight]
    if not noted then held[document] = (held[document] or 0) + flag
    elseif not noted[document] then
      held[document] = (held[document] or 0) + flag
      noted[document] = true
    end
  end
end

-- The postings of several terms as those of one, each document once.
local function united(terms)
  local lists, only = {}, 0
  for _, term in ipairs(terms) do
    local texts, size = postings_of(term)
    if size > 0 then lists[#lists + 1], only = texts, size end
  end
  if #lists == 0 then return {}, 0 end
  if #lists == 1 then return lists[1], only end
  local weights, size = {}, 0
  for _, texts in ipairs(lists) do
    for _, text in ipairs(texts) do
      for at = 1, #text, 5 do
        local key, weight = string.sub(text, at, at + 3), byte(text, at + 4)
        if weights[key] then weights[key] = both(weights[key], weight)
        else weights[key], size = weight, size + 1 end
      end
    end
  end
  local all = {}
  for key, weight in pairs(weights) do all[#all + 1] = key .. string.char(weight) end
  return { table.concat(all) }, size
end

-- The documents of the highest scores, the newest of equal ones; with rules, of those that pass.
local function best(size, rules)
  if rules then
    local all, found = {}, {}
    for document in pairs(scores) do all[#all + 1] = document end
    table.sort(all, function(a, b)
      if scores[a] ~= scores[b] then return scores[a] > scores[b] end
      return a > b
    end)
    for _, document in ipairs(all) do
      if #found == size then break end
      if may_be_found(document, rules) then found[#found + 1] = document end
    end
    return found
  end
  -- A heap of the best so far, the least of them on top.
  local heap = {}
  local function less(a, b)
    local one, other = scores[a], scores[b]
    return one < other or (one == other and a < b)
  end
  local function sink(at)
    local document, half = heap[at], math.floor(#heap / 2)
    while at <= half do
      local child = 2 * at
      if child < #heap and less(heap[child + 1], heap[child]) then child = child + 1 end
      if not less(heap[child], document) then break end
      heap[at] = heap[child]
      at = child
    end
    heap[at] = document
  end
  local floor = 0
  for document, score in pairs(scores) do
    if #heap < size then
      heap[#heap + 1] = document
      if #heap == size then
        for at = math.floor(size / 2), 1, -1 do sink(at) end
        floor = scores[heap[1]]
      end
    elseif score >= floor and less(heap[1], document) then
      heap[1] = document
      sink(1)
      floor = scores[heap[1]]
    end
  end
  table.sort(heap, function(a, b) return less(b, a) end)
  return heap
end
`;

/** Which turns stand around the documents that were found. */
const WINDOWS_LUA = `
local spans = {}
local function span(thread, number)
  local field = thread .. '\\0' .. string.format('%.0f', number)
  if spans[field] == nil then
    spans[field] = { places = redis.call('HGET', THREADS, field) or '', wanted = {}, thread = thread, number = number }
    spans[#spans + 1] = spans[field]
  end
  return spans[field]
end

-- Wants so many places from one on, in a direction; a thread with a hole of a whole span ends there.
local function want(thread, number, place, step, count)
  local current = span(thread, number)
  for _ = 0, count do
    while place < 0 or place * PLACE >= #current.places do
      number = number + step
      current = number >= 0 and span(thread, number)
      if not current or current.places == '' then return end
      place = step > 0 and 0 or #current.places / PLACE - 1
    end
    current.wanted[place] = true
    place = place + step
  end
end

local function want_around(document, fields, around)
  local number = math.floor(fields[8] / SPAN)
  local current, key = span(fields[7], number), struct.pack('>I4', document)
  for place = 0, #current.places / PLACE - 1 do
    if string.sub(current.places, place * PLACE + 9, place * PLACE + 12) == key then
      want(fields[7], number, place, -1, around)
      want(fields[7], number, place, 1, around)
      return
    end
  end
end

-- What the caller is told of a document: 25 bytes of its place, which place of its run that is, its score, the words that
-- it holds, and flags: 1 may be found, 2 begins a new run of turns, 4 is no turn.
local function told(place, step, document, flags)
  return place .. struct.pack('>I4dI4B', step, scores[document] or 0, held[document] or 0, flags)
end

-- Of the turns around, those that were found, or may answer one that was. The others are steps that are left out.
local function told_windows(rules)
  local parts = {}
  table.sort(spans, function(a, b)
    if a.thread ~= b.thread then return a.thread < b.thread end
    return a.number < b.number
  end)
  local thread, number, last, step, begins, answers
  for _, current in ipairs(spans) do
    for place = 0, #current.places / PLACE - 1 do
      if current.wanted[place] then
        local from = place * PLACE
        local document, what = struct.unpack('>I4B', current.places, from + 9)
        local follows = thread == current.thread
          and ((number == current.number and last == place - 1) or (number == current.number - 1 and place == 0))
        if follows then step = step + 1 else step, begins, answers = 0, true, false end
        if scores[document] or answers then
          local flags = begins and 2 or 0
          if not rules or may_be_found(document, rules) then flags = flags + 1 end
          parts[#parts + 1] = told(string.sub(current.places, from + 1, from + 25), step, document, flags)
          begins = false
        end
        answers = scores[document] and what % 2 == 1
        thread, number, last = current.thread, current.number, place
      else
        thread = nil
      end
    end
  end
  return parts
end
`;

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
 * -> `['HITS', id, record, score, …]`: where no record is a turn.
 * -> `['POOL', [word, group, worth, …], [number, name, …], documents]`: the worth of each word and of each group that is
 *    there, the highest first (group 0 is the word itself); the speakers, unless they are too many; what is told of the
 *    best documents and those around them.
 */
export const SEARCH = reading(`${KEYS_LUA}${POSTINGS_LUA}${SHARES_LUA}${FILTER_LUA}
local PLACE, SPAN = 27, 128
local base

local function stored_of(document)
  local id = redis.call('LINDEX', ORDER, document - base)
  if not id or id == '' then return nil end
  return redis.call('HGET', RECORDS, id), id
end

local passing = {}
local function may_be_found(document, rules)
  if passing[document] == nil then
    local stored = stored_of(document)
    passing[document] = stored and passes(rules, stored) or false
  end
  return passing[document]
end

local function both(one, other)
  local sum = FREQUENCIES[math.floor(one / 64) + 1] + FREQUENCIES[math.floor(other / 64) + 1]
  local step = sum <= 2 and 1 or sum <= 5 and 2 or 3
  return one % 64 + 64 * step
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
local facts = redis.call('HMGET', FACTS, 'docs', 'length', 'turns', 'base',
  'in:en', 'in:de', 'in:es', 'in:fr', 'in:it', 'in:nl', 'in:pt', 'analysis')
local analysed = facts[5 + #LANGUAGES]
if analysed and analysed ~= analysis then return { 'ANALYSIS', analysed } end
if redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0 then
  if swept == '' then return { 'DUE' } end
  -- What has expired since passes no filter, not even one without rules.
  rules = rules or {}
end

local documents = tonumber(facts[1] or 0)
if documents == 0 then return { 'HITS' } end
base = tonumber(facts[4])
local held_in = {}
for n, language in ipairs(LANGUAGES) do
  if facts[4 + n] then held_in[#held_in + 1] = { language, tonumber(facts[4 + n]), n } end
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
    local stored, id = stored_of(document)
    if stored then
      hits[#hits + 1] = id
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
    if fields and fields[7] then want_around(document, fields, around)
    elseif fields then
      local flags = 4 + ((not rules or may_be_found(document, rules)) and 1 or 0)
      parts[#parts + 1] = told(struct.pack('>dI4BI4d', 0, document, 0, 0, fields[2]), 0, document, flags)
    end
  end
end
look_at(best(pool))
if rules then look_at(best(pool, rules)) end
for _, part in ipairs(told_windows(rules)) do parts[#parts + 1] = part end
worths[4] = table.concat(parts)
return worths
`);

/** The records of documents. -> `[id, record, …]`; those that are gone are left out. */
export const FETCH = reading(`${KEYS_LUA}
local base = tonumber(redis.call('HGET', FACTS, 'base') or 0)
local found = {}
for _, document in ipairs(ARGV) do
  local place = tonumber(document) - base
  local id = place >= 0 and redis.call('LINDEX', ORDER, place)
  if id and id ~= '' then
    local stored = redis.call('HGET', RECORDS, id)
    if head(stored) then
      found[#found + 1] = id
      found[#found + 1] = stored
    end
  end
end
return found
`);
