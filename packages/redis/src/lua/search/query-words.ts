import { POSTING } from '../records/postings.ts';

/**
 * If the forms of a word in several languages have at most this many postings together, the frequencies of a document with more
 * than one form are added up. Above that, each form is scored separately: finding such documents means reading all postings
 * in one script.
 */
const MOST_MERGED = 10_000;

/**
 * Lua: looks up words of a query. Needs `ARGUMENTS_LUA`, `POSTINGS_LUA` and `TERM_SHARES_LUA`. Reads `TERMS`.
 *
 * - `merged_postings(terms)` returns the postings of several terms as those of one word, and their number.
 * - `joined_postings(terms)` returns the postings of several terms, each for itself, and their number. Both return lists as
 *   `list_of` does.
 * - `each_word(look)` reads words from the arguments, as `wordArguments` writes them. It calls
 *   `look(word, group, weight, lists, size, aliases)` for each word, with group 0 and what a speaker of that name is called,
 *   then for each group of related terms. Words and groups count from 1.
 */
export const QUERY_WORDS_LUA = `
local function frequency_step(frequency)
  for step = #FREQUENCIES, 2, -1 do
    if 2 * frequency >= FREQUENCIES[step] + FREQUENCIES[step - 1] then return step - 1 end
  end
  return 0
end

local function frequency_of(weight)
  return FREQUENCIES[math.floor(weight / #LENGTHS) + 1]
end

-- The weight of each document, and the frequency together of those that have several of the terms.
local function find_merged(held)
  local weights, frequencies = {}, {}
  for _, one in ipairs(held) do
    for _, text in ipairs(one.list.texts or postings_of(one.term)) do
      for at = 1, #text, ${POSTING.size} do
        local a, b, c, d, weight = byte(text, at, at + 4)
        local document = ((a * 256 + b) * 256 + c) * 256 + d
        local known = weights[document]
        if known then
          frequencies[document] = (frequencies[document] or frequency_of(known)) + frequency_of(weight)
        else
          weights[document] = weight
        end
      end
    end
  end
  return weights, frequencies
end

-- Adds up the steps of frequencies, because exact frequencies are not stored: the sum can be a step too low if a text has
-- one form 4 or 5 times, and others once or twice.
local function merged_postings(terms)
  local held, lists, sum = {}, {}, 0
  for _, term in ipairs(terms) do
    local list, size = list_of(term)
    if size > 0 then held[#held + 1], lists[#lists + 1], sum = { term = term, list = list }, list, sum + size end
  end
  if #held <= 1 or sum > ${MOST_MERGED} then return lists, sum end
  local weights, frequencies = find_merged(held)
  -- Mostly, because each text was analysed in one language.
  if next(frequencies) == nil then return lists, sum end
  local all = {}
  for document, weight in pairs(weights) do
    local frequency = frequencies[document] or frequency_of(weight)
    local merged = frequency_step(frequency) * #LENGTHS + weight % #LENGTHS
    all[#all + 1] = struct.pack('${POSTING.format}', document, merged)
  end
  return { { texts = { concat(all) } } }, #all
end

local function joined_postings(terms)
  local all, sum = {}, 0
  for _, term in ipairs(terms) do
    local list, size = list_of(term)
    all[#all + 1] = list
    sum = sum + size
  end
  return all, sum
end

local function each_word(look)
  for word = 1, take_number() do
    local weight, terms, aliases, groups = take_number(), take_list(), take_list(), take_number()
    local lists, size = merged_postings(terms)
    look(word, 0, weight, lists, size, aliases)
    for group = 1, groups do
      local share = take_number()
      lists, size = joined_postings(take_list())
      look(word, group, weight * share, lists, size, {})
    end
  end
end
`;
