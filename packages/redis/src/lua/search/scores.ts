import { TIME_REACH_MS } from '@keepsake/search/remote';
import { luaModule } from '../lua-module.ts';
import { POSTING } from '../records/postings.ts';
import { SECTIONS_LUA } from './sections.ts';
import { UNREAD_POSTINGS_LUA } from './unread-postings.ts';

/** How many words are told apart: the bits of `RemoteMatch.held`. */
const MAX_WORD_BITS = 31;

/** How many documents are looked at for their times if the query names one. */
export const MAX_DATED = 500;

/** How many documents are looked at to find those that pass a filter. */
const MAX_FILTERED = 2_000;

/** How many are looked at first, for each that is wanted. */
const FEW_FILTERED = 3;

const MEAN_YEAR_MS = 365.2425 * 86_400_000;

/**
 * Lua: scores documents and picks the best. Most of the time of a search is spent here. Needs `POSTING_LISTS_LUA`,
 * `TERM_SHARES_LUA`, `FILTER_LUA` and `FOUND_RECORDS_LUA`. Writes nothing.
 *
 * - `scores` holds the score of each document; `words_of(document)` returns a bit for each word that it holds.
 * - `score_words(found, norm)` adds the worth of each word and group of terms to its documents, by the weights of its
 *   postings. `found` is in the order of the bits, and each has its `worth` and its `lists`. Those of split terms are read
 *   later, as far as they are needed: see `UNREAD_POSTINGS_LUA` and `SECTIONS_LUA`.
 * - `best_documents(size, rules, times, among)` returns the documents of the highest scores, best first, the newest of equal
 *   ones first; with rules, only those that pass, and whether it gave up, because it looks at a limited number of documents
 *   for a limited time. With `among`, documents of four bytes each, it looks only at these, and does not give up. With times,
 *   scores count by how near a document is to one of these. Exact unless more than MAX_DATED documents could be among the best
 *   if they had the right time. Reads `RECORDS`. `best_by_words(size, rules, among)` does the same without times.
 * - `pack_documents(documents)` returns these with four bytes each.
 */
export const SCORES_LUA = luaModule(
  [
    ...['scores', 'words_of', 'score_words', 'best_by_words', 'best_documents', 'passing_share'],
    ...['read_few', 'score_exactly', 'affordable', 'find_best', 'scored_with', 'pack_documents'],
  ],
  `
-- The bits of the words that each document holds, with its length class above these.
local matched = {}
local scores = {}

local LENGTH_BITS = {}
for weight = 0, 255 do LENGTH_BITS[weight] = LENGTH_CLASS_OF[weight] * 2 ^ ${MAX_WORD_BITS} end

local function length_class_of(document)
  return math.floor(matched[document] / 2 ^ ${MAX_WORD_BITS})
end

local function note_length_class(document, length_class)
  matched[document] = matched[document] or length_class * 2 ^ ${MAX_WORD_BITS}
end

-- The bits of the words that a document holds.
local function words_of(document)
  return (matched[document] or 0) % 2 ^ ${MAX_WORD_BITS}
end

-- A word without a bit is not told apart.
local function add_scores(postings, worths, bit)
  local both = bit and 2 * bit
  for at = 1, #postings, ${POSTING.size} do
    local a, b, c, d, weight = byte(postings, at, at + 4)
    local document = ((a * 256 + b) * 256 + c) * 256 + d
    local score = scores[document]
    if score then
      scores[document] = score + worths[weight]
      if bit then
        local before = matched[document]
        if before % both < bit then matched[document] = before + bit end
      end
    else
      scores[document] = worths[weight]
      matched[document] = LENGTH_BITS[weight] + (bit or 0)
    end
  end
end

-- Calls \`take\` with each document of a table of scores.
local function each_in(values)
  return function(take)
    for document, score in pairs(values) do take(document, score) end
  end
end

-- Calls \`take\` with each of the documents, four bytes each, that has a score.
local function each_packed(documents)
  return function(take)
    for at = 1, #documents, 4 do
      local document = struct.unpack('>I4', documents, at)
      if scores[document] then take(document, scores[document]) end
    end
  end
end

local function pack_documents(documents)
  local parts = {}
  for n, document in ipairs(documents) do parts[n] = struct.pack('>I4', document) end
  return concat(parts)
end

-- The best of the documents that \`each\` calls a function with, by their scores in a table.
local function best_of(size, values, each)
  local function is_better(a, b)
    local one, other = values[a], values[b]
    return one > other or (one == other and a > b)
  end
  -- A heap of the best so far, the worst of them on top.
  local heap = {}
  local function sink(at)
    local document, half = heap[at], math.floor(#heap / 2)
    while at <= half do
      local child = 2 * at
      if child < #heap and is_better(heap[child], heap[child + 1]) then child = child + 1 end
      if not is_better(document, heap[child]) then break end
      heap[at] = heap[child]
      at = child
    end
    heap[at] = document
  end
  local floor = 0
  each(function(document, score)
    if #heap < size then
      heap[#heap + 1] = document
      if #heap == size then
        for at = math.floor(size / 2), 1, -1 do sink(at) end
        floor = values[heap[1]]
      end
    elseif score >= floor and is_better(document, heap[1]) then
      heap[1] = document
      sink(1)
      floor = values[heap[1]]
    end
  end)
  table.sort(heap, is_better)
  return heap
end

${UNREAD_POSTINGS_LUA}
-- Sums of whole parts are the same in any order, so that the order in which postings are read changes no score.
local function part_of(found)
  local sum = 0
  for _, one in ipairs(found) do sum = sum + one.worth * #one.lists end
  local _, exponent = math.frexp(sum)
  return 2 ^ (exponent - 52)
end

local function score_words(found, norm)
  local shares, part, read = term_shares(norm), part_of(found), {}
  for n, one in ipairs(found) do
    local worths = {}
    for weight = 0, 255 do worths[weight] = math.floor(one.worth * shares[weight] / part + 0.5) * part end
    local bit = n <= ${MAX_WORD_BITS} and 2 ^ (n - 1)
    for _, list in ipairs(one.lists) do
      if list.texts then read[#read + 1] = { texts = list.texts, worths = worths, bit = bit }
      else add_list(list, worths, bit) end
    end
  end
  for _, one in ipairs(read) do
    for _, text in ipairs(one.texts) do add_scores(text, one.worths, one.bit) end
  end
end

${SECTIONS_LUA}
-- The first documents that pass, of the best \`reach\`, and whether better ones may be missing.
local function first_passing(size, rules, reach, among)
  local likely, found = best_of(reach, scores, among and each_packed(among) or each_in(scores)), {}
  for _, document in ipairs(likely) do
    if #found == size then return found, false end
    if not among and not may_read_more() then return found, true end
    if may_be_found(document, rules) then found[#found + 1] = document end
  end
  return found, not among and #found < size and #likely == reach
end

local function best_by_words(size, rules, among)
  if not rules then return best_of(size, scores, among and each_packed(among) or each_in(scores)) end
  -- Mostly enough, and sorting more takes long.
  local few = ${FEW_FILTERED} * size
  if not among and few < ${MAX_FILTERED} then
    local found, is_partial = first_passing(size, rules, few)
    if not is_partial then return found, false end
  end
  return first_passing(size, rules, ${MAX_FILTERED}, among)
end

-- What a time counts for the times that the query names: \`timeFactor\` of \`@keepsake/search\`.
local function time_factor(times, time)
  local factor, year = 1, math.floor(time / ${MEAN_YEAR_MS})
  for _, named in ipairs(times) do
    local first, last = 1, 1
    -- Of dates that come round each year, the list has the year before 1970 first.
    if #named.from > 1 then first, last = math.max(1, year + 1), math.min(year + 3, #named.from) end
    for n = first, last do
      local from, to = named.from[n], named.to[n]
      local away = time < from and (from - time) / ${TIME_REACH_MS.before}
        or math.max(0, time - to) / ${TIME_REACH_MS.after}
      factor = math.max(factor, 1 + named.gain * math.max(0, 1 - away))
    end
  end
  return factor
end

local function best_documents(size, rules, times, among)
  if #times == 0 then return best_by_words(size, rules, among) end
  local likely, is_partial = best_by_words(math.max(size, ${MAX_DATED}), rules, among)
  if is_partial then return likely, true end
  local dated, found = {}, {}
  local gain = 0
  for _, named in ipairs(times) do gain = math.max(gain, named.gain) end
  local floor = likely[size] and scores[likely[size]] or 0
  for _, document in ipairs(likely) do
    if scores[document] * (1 + gain) < floor then break end
    local inline = inline_of(document)
    local header = live_header(inline)
    if header then
      dated[document] = scores[document] * time_factor(times, time_of(inline, header))
      found[#found + 1] = document
    end
  end
  table.sort(found, function(a, b)
    if dated[a] ~= dated[b] then return dated[a] > dated[b] end
    return a > b
  end)
  for n = #found, size + 1, -1 do found[n] = nil end
  return found
end
`,
);
