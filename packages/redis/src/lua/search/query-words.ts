import { POSTING } from '../records/postings.ts';

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

-- Adds up the steps of frequencies, because exact frequencies are not stored: the sum can be a step too low if a text has
-- one form 4 or 5 times, and others once or twice.
local function merged_postings(terms)
  local held, only = {}, 0
  for _, term in ipairs(terms) do
    local list, size = list_of(term)
    if size > 0 then held[#held + 1], only = { term = term, list = list }, size end
  end
  if #held == 0 then return {}, 0 end
  if #held == 1 then return { held[1].list }, only end
  local weights, frequencies, size = {}, {}, 0
  for _, one in ipairs(held) do
    for _, text in ipairs(one.list.texts or postings_of(one.term)) do
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
  return { { texts = { concat(all) } } }, size
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
