import { POSTING } from '../records/postings.ts';

/** Postings whose number is below this are all read: less work than to look for what can be left out. */
const FEW_POSTINGS = 4_000;

/** What a step of a lookup takes, in postings that could be read instead. */
const POSTINGS_PER_LOOKUP = 8;

/** How many documents are tried for a filter before the best are looked for. */
const SAMPLE = 48;

/**
 * Lua: scores documents by the postings of split terms, without reading most of them. Needs `POSTINGS_LUA`, and `scores`,
 * `matched` and `add_scores` of `SCORES_LUA`. Reads `TERMS`.
 *
 * The classes of all words are read by falling share of their idf. What is not read bounds how much more a document can get:
 * once a document without any score can't be among the best, only those that have one and still can are looked up in the
 * other classes.
 *
 * - `add_list(list, worths, bit, is_alone)` takes the postings of a term that is split, with what each weight is worth, and
 *   whether no other list has this bit.
 * - `passing_share(passes)` returns the share of documents for which `passes(document)` holds, from a sample of those that are
 *   not read; 1 if there are few.
 * - `score_best(size)` makes the scores of the best documents exact. All others then have less, whether exact or not.
 * - `score_exactly(documents)` makes the scores of these exact.
 */
export const UNREAD_POSTINGS_LUA = `
-- Classes that are not read, the highest share last: each with its list, and the most that a posting of it adds.
local unread, unread_postings = {}, 0
-- The exact scores of documents that have one.
local exact = {}
-- Documents with at least this score are noted, so that the best are found without looking at all.
local floor, above_floor = 0, {}

local function add_list(list, worths, bit, is_alone)
  local most = {}
  for weight = 0, 255 do
    local class = CLASS_OF[weight]
    most[class] = math.max(most[class] or 0, worths[weight])
  end
  for _, class in ipairs(list.classes) do
    unread[#unread + 1] = {
      list = list, class = class, length_class = class % LENGTH_CLASSES, count = list.counts[class],
      worths = worths, bit = bit, is_alone = is_alone, most = most[class], share = most[class] / worths.idf,
    }
    unread_postings = unread_postings + list.counts[class]
  end
end

local function texts_of(one)
  if not one.texts then
    local name = class_term(one.list.term, one.class)
    one.texts = field_texts(name, redis.call('HGET', TERMS, name) or '\\0\\0\\0\\0')
    local last = table.remove(one.texts, 1)
    insert(one.texts, last)
  end
  return one.texts
end

-- Classes that are read later add to exact scores, too.
local function restore_exact()
  for document, score in pairs(exact) do scores[document] = score end
end

local function read_class(one)
  for _, text in ipairs(texts_of(one)) do
    add_scores(text, one.worths, one.bit, floor, above_floor)
  end
  unread_postings = unread_postings - one.count
end

local function read_all()
  for _, one in ipairs(unread) do read_class(one) end
  unread = {}
  restore_exact()
end

-- The most that documents can still get, by their length class; and by length class, what it is the sum of.
local function open_worths()
  local lists, sums, most = {}, {}, 0
  for _, one in ipairs(unread) do
    local open = lists[one.length_class] or {}
    lists[one.length_class] = open
    open[one.list] = open[one.list] or { worth = 0, bit = one.bit, is_alone = one.is_alone }
    open[one.list].worth = math.max(open[one.list].worth, one.most)
  end
  for length_class, open in pairs(lists) do
    local sum = 0
    for _, one in pairs(open) do sum = sum + one.worth end
    sums[length_class] = sum
    most = math.max(most, sum)
  end
  return sums, most, lists
end

-- The first place from \`low\` to \`high\` for which \`is_before(place)\` does not hold, or the one after \`high\`.
local function first_not(low, high, is_before)
  high = high + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_before(middle) then low = middle + 1 else high = middle end
  end
  return low
end

-- Adds the postings of a class to these of the documents, which are in their order and have no exact score.
local function look_up(one, documents)
  local next_wanted = 1
  for _, text in ipairs(texts_of(one)) do
    local count = #text / ${POSTING.size}
    local function document_at_place(place) return (struct.unpack('>I4', text, (place - 1) * ${POSTING.size} + 1)) end
    local place = 1
    if count > 0 and next_wanted <= #documents then
      local last = document_at_place(count)
      while next_wanted <= #documents and documents[next_wanted] <= last do
        local wanted = documents[next_wanted]
        place = first_not(place, count, function(middle) return document_at_place(middle) < wanted end)
        local found = document_at_place(place)
        if found == wanted then
          local at = (place - 1) * ${POSTING.size} + 1
          add_scores(sub(text, at, at + ${POSTING.size - 1}), one.worths, one.bit)
          next_wanted = next_wanted + 1
        else
          next_wanted = first_not(next_wanted, #documents, function(middle) return documents[middle] < found end)
        end
      end
    end
  end
end

local function count_lookups(by_length, unknown)
  local lookups = 0
  for _, one in ipairs(unread) do
    lookups = lookups + math.min(#unknown + #(by_length[one.length_class] or {}), one.count)
  end
  return lookups
end

local function score_exactly(documents)
  if #unread == 0 then return end
  local inexact, by_length, unknown = {}, {}, {}
  for _, document in ipairs(documents) do
    if not exact[document] then inexact[#inexact + 1] = document end
  end
  table.sort(inexact)
  for _, document in ipairs(inexact) do
    local length_class = scores[document] and length_class_of(document)
    local list = length_class and (by_length[length_class] or {}) or unknown
    if length_class then by_length[length_class] = list end
    if list[#list] ~= document then list[#list + 1] = document end
  end
  if count_lookups(by_length, unknown) * ${POSTINGS_PER_LOOKUP} > unread_postings then return read_all() end
  for _, one in ipairs(unread) do
    local of_length = by_length[one.length_class]
    if of_length then look_up(one, of_length) end
    if #unknown > 0 then look_up(one, unknown) end
  end
  for _, document in ipairs(inexact) do exact[document] = scores[document] end
end

-- The documents that may still be among the best, because they can get as much as the floor.
local function possible()
  local sums, most, lists = open_worths()
  local found = {}
  for document, score in pairs(scores) do
    if score + most >= floor and not exact[document] then
      local length_class = length_class_of(document)
      local sum = sums[length_class] or 0
      if score + sum >= floor then
        local held = words_of(document)
        for _, one in pairs(lists[length_class] or {}) do
          if one.is_alone and held % (2 * one.bit) >= one.bit then sum = sum - one.worth end
        end
        if score + sum >= floor then found[#found + 1] = document end
      end
    end
  end
  return found
end

-- Raises the floor to the score of the document at a place of the order by score.
local function raise_floor(place)
  local heap = best_of(place, each_in(above_floor))
  if #heap < place then return end
  floor = scores[heap[place]]
  above_floor = {}
  for _, document in ipairs(heap) do above_floor[document] = true end
end

local function passing_share(passes)
  if unread_postings <= ${FEW_POSTINGS} then return 1 end
  local largest = unread[1]
  for _, one in ipairs(unread) do if one.count > largest.count then largest = one end end
  local tried, passed = 0, 0
  for _, text in ipairs(texts_of(largest)) do
    local step = math.max(1, math.floor(largest.count / ${SAMPLE})) * ${POSTING.size}
    for at = 1, #text, step do
      tried = tried + 1
      if passes((struct.unpack('>I4', text, at))) then passed = passed + 1 end
    end
  end
  return passed / tried
end

local function score_best(size)
  if #unread == 0 then return end
  if unread_postings <= ${FEW_POSTINGS} then return read_all() end
  table.sort(unread, function(one, other) return one.share < other.share end)
  for document in pairs(scores) do above_floor[document] = true end
  local read, next_check = 0, ${FEW_POSTINGS / 4}
  while #unread > 0 do
    local one = table.remove(unread)
    read_class(one)
    read = read + one.count
    if read >= next_check then
      next_check = 1.2 * read
      raise_floor(size)
      local _, most = open_worths()
      if floor > most then
        local likely = possible()
        if #likely * ${POSTINGS_PER_LOOKUP} < unread_postings then
          score_exactly(likely)
          if #unread > 0 then best_among, best_count = exact, size end
          return
        end
      end
    end
  end
end
`;
