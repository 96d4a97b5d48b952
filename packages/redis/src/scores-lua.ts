/** Reads postings, and gives documents what their words are worth. This is where most of the time of a search goes. */
export const SCORES_LUA = `
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

-- The byte of a document that holds two terms which are one word.
local function both(one, other)
  local sum = FREQUENCIES[math.floor(one / 64) + 1] + FREQUENCIES[math.floor(other / 64) + 1]
  local step = sum <= 2 and 1 or sum <= 5 and 2 or 3
  return one % 64 + 64 * step
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
