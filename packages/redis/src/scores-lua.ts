import { WEIGHTS } from '@keepsake/search';

/** Reads postings, and gives documents what their words are worth. This is where most of the time of a search goes. */
export const SCORES_LUA = `
local scores, held = {}, {}

-- Gives documents their share of a word, and notes that they hold it. Words come in the order of their flags; those
-- without a flag are not told apart.
local function give(postings, worths, flag)
  for at = 1, #postings, 5 do
    local a, b, c, d, weight = byte(postings, at, at + 4)
    local document = ((a * 256 + b) * 256 + c) * 256 + d
    scores[document] = (scores[document] or 0) + worths[weight]
    if flag then
      local before = held[document] or 0
      if before < flag then held[document] = before + flag end
    end
  end
end

local function frequency_step(frequency)
  for step = #FREQUENCIES, 2, -1 do
    if 2 * frequency >= FREQUENCIES[step] + FREQUENCIES[step - 1] then return step - 1 end
  end
  return 0
end

-- The postings of several terms as those of one word, each document once. Adds up the steps of the frequencies, as exact
-- frequencies are not stored: the sum can be a step too low if one form comes 4 or 5 times, and others once or twice.
local function united(terms)
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
      for at = 1, #text, 5 do
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

-- The documents of the highest scores, best first, the newest of equal ones first; with rules, of those that pass.
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
  -- A heap of the best so far, the worst of them on top.
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

-- How much a time counts for the times that the query names: \`timeFactor\` of \`@keepsake/search\`.
local function time_factor(times, time)
  local factor, year = 1, math.floor(time / MEAN_YEAR_MS)
  for _, named in ipairs(times) do
    local first, last = 1, 1
    -- Of those that come round each year, the list has the year before 1970 first.
    if #named.from > 1 then first, last = math.max(1, year + 1), math.min(year + 3, #named.from) end
    for n = first, last do
      local from, to = named.from[n], named.to[n]
      local away = time < from and (from - time) / (${WEIGHTS.daysBefore} * DAY_MS)
        or math.max(0, time - to) / (${WEIGHTS.daysAfter} * DAY_MS)
      factor = math.max(factor, 1 + named.gain * math.max(0, 1 - away))
    end
  end
  return factor
end

-- The same as \`best\`, by their scores times what their times count for the query. Exact unless more than MOST_DATED
-- documents could be among the best if they were of the right time.
local function best_dated(size, rules, times)
  if #times == 0 then return best(size, rules) end
  local likely, dated, found = best(math.max(size, MOST_DATED), rules), {}, {}
  local gain = 0
  for _, named in ipairs(times) do gain = math.max(gain, named.gain) end
  local floor = likely[size] and scores[likely[size]] or 0
  for _, document in ipairs(likely) do
    if scores[document] * (1 + gain) < floor then break end
    local front = front_of(document)
    local fields = head(front)
    if fields then
      dated[document] = scores[document] * time_factor(times, time_of(front, fields))
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
`;
