import { POSTING } from '../records/postings.ts';

/**
 * Lua: looks up words of a query. Needs `ARGUMENTS_LUA`, `POSTINGS_LUA` and `TERM_SHARES_LUA`. Reads `TERMS`.
 *
 * - `merged_postings(terms)` returns the postings of several terms as those of one word, and their number.
 * - `joined_postings(terms)` returns the postings of several terms, each for itself, and their number.
 * - `each_word(look)` reads words from the arguments, as `wordArguments` writes them. It calls
 *   `look(word, group, weight, postings, size, aliases)` for each word, with group 0 and what a speaker of that name is called,
 *   then for each group of related terms. Words and groups count from 1.
 */
export const QUERY_WORDS_LUA = `
local function frequency_step(frequency)
  for step = #FREQUENCIES, 2, -1 do
    if 2 * frequency >= FREQUENCIES[step] + FREQUENCIES[step - 1] then return step - 1 end
  end
  return 0
end

-- Adds up the steps of frequencies, because exact frequencies are not stored: the sum can be a step too low if a text has
-- one form 4 or 5 times, and others once or twice.
local function merged_postings(terms)
  local lists, only = {}, 0
  for _, term in ipairs(terms) do
    local texts, size = postings_of(term)
    if size > 0 then lists[#lists + 1], only = texts, size end
  end
  if #lists == 0 then return {}, 0 end
  if #lists == 1 then return lists[1], only end
  local weights, frequencies, size = {}, {}, 0
  for _, texts in ipairs(lists) do
    for _, text in ipairs(texts) do
      for at = 1, #text, ${POSTING.size} do
        local key, weight = string.sub(text, at, at + 3), byte(text, at + 4)
        local frequency = FREQUENCIES[math.floor(weight / #LENGTHS) + 1]
        if weights[key] then frequencies[key] = frequencies[key] + frequency
        else weights[key], frequencies[key], size = weight, frequency, size + 1 end
      end
    end
  end
  local all = {}
  for key, weight in pairs(weights) do
    all[#all + 1] = key .. char(frequency_step(frequencies[key]) * #LENGTHS + weight % #LENGTHS)
  end
  return { concat(all) }, size
end

local function joined_postings(terms)
  local all, sum = {}, 0
  for _, term in ipairs(terms) do
    local texts, size = postings_of(term)
    for _, text in ipairs(texts) do all[#all + 1] = text end
    sum = sum + size
  end
  return all, sum
end

local function each_word(look)
  for word = 1, take_number() do
    local weight, terms, aliases, groups = take_number(), take_list(), take_list(), take_number()
    local postings, size = merged_postings(terms)
    look(word, 0, weight, postings, size, aliases)
    for group = 1, groups do
      local share = take_number()
      postings, size = joined_postings(take_list())
      look(word, group, weight * share, postings, size, {})
    end
  end
end
`;
