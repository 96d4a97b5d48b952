import { luaModule } from '../lua-module.ts';
import { POSTING } from '../records/postings.ts';

/** Postings whose number is below this are all read: less work than to look for what can be left out. */
const FEW_POSTINGS = 4_000;

/** What a step of a lookup takes, in postings that could be read instead. */
const POSTINGS_PER_LOOKUP = 8;

/** An estimate of lookups is about this many times what they take, because many are in the same field. */
const OVERESTIMATE = 4;

/** How many postings are skipped in the time in which one is read. */
const SKIPPED_PER_POSTING = 2;

/** What a script scores at most, in postings that it reads: takes a server about 10 ms. */
const MOST_POSTINGS = 25_000;

/** If there are more, nearly all of a search is done a section at a time anyway. */
const HOPELESS_POSTINGS = 10 * MOST_POSTINGS;

/** About how many postings a script reads in a section, and how many documents that has at least. */
export const SECTION_POSTINGS = 15_000;
const LEAST_SECTION = 500;

/** How many documents are tried for a filter before the best are looked for. */
const SAMPLE = 48;

/**
 * Lua: scores documents by the postings of split terms, without reading most of them. Needs `POSTING_LISTS_LUA`, and `scores`,
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
 * - `score_best(size)` makes the scores of the best documents exact. All others then have less, whether exact or not. Returns
 *   whether it did: not if it would take long.
 * - `begin_section(first, count, least)` limits the script to `count` documents, from `first` on. If `count` is 0, it chooses a
 *   number so low that the script can quickly read all of their postings. Scores below `least` don't need to be exact. Returns
 *   the first document of the next section, or 0.
 * - `score_section()` makes all scores of the section exact. Returns whether it did: not if `count` turns out to be too high.
 * - `work_done()` estimates the work of the script so far, in postings read.
 * - `score_exactly(documents)` makes the scores of these exact. `affordable(documents)` returns how many of these, in their
 *   order, it can do in a script that should not take long.
 */
export const UNREAD_POSTINGS_LUA = luaModule(
  [
    ...['add_list', 'passing_share', 'begin_section', 'score_best', 'score_section', 'score_exactly', 'affordable'],
    'work_done',
  ],
  `
-- Classes that are not read, the highest share last: each with its list, and the most that a posting of it adds.
local unread, unread_postings = {}, 0
-- The exact scores of documents that have one.
local exact = {}
-- Documents with at least this score are noted, so that the best are found without looking at all.
local floor, above_floor = 0, {}
local work = 0
-- The documents to look at, if not all: from the \`first\` to the one before \`after\`.
local section = nil

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

local function fields_of(one)
  if not one.fields then
    local name = class_term(one.list.term, one.class)
    one.fields = read_fields(name, redis.call('HGET', TERMS, name) or '\\0\\0\\0\\0')
  end
  return one.fields
end

-- Classes that are read later add to exact scores, too.
local function restore_exact()
  for document, score in pairs(exact) do scores[document] = score end
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

-- The postings of a text before a document.
local function before(text, document)
  local count = #text / ${POSTING.size}
  local after = first_not(1, count, function(place)
    return document_at(text, (place - 1) * ${POSTING.size} + 1) < document
  end)
  return sub(text, 1, (after - 1) * ${POSTING.size}), sub(text, (after - 1) * ${POSTING.size} + 1)
end

local function read_class(one)
  local list = fields_of(one)
  for number = section and field_of(list, section.first) or 0, list.last do
    local text = text_of(list, number)
    if section then
      if text ~= '' and document_at(text, 1) >= section.after then break end
      text = before(text, section.after)
      if text ~= '' and document_at(text, 1) < section.first then text = select(2, before(text, section.first)) end
    end
    add_scores(text, one.worths, one.bit, floor, above_floor)
    work = work + #text / ${POSTING.size}
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

-- Adds the postings of a text to these of the documents from the \`n\`th on. Returns the first that can't be in it, or the next.
local function look_up_in(text, one, documents, n)
  local count, place = #text / ${POSTING.size}, 1
  local function document_at_place(place) return document_at(text, (place - 1) * ${POSTING.size} + 1) end
  if count == 0 or documents[n] > document_at_place(count) then return n + 1 end
  while n <= #documents and documents[n] <= document_at_place(count) do
    place = first_not(place, count, function(middle) return document_at_place(middle) < documents[n] end)
    local found = document_at_place(place)
    if found == documents[n] then
      local at = (place - 1) * ${POSTING.size} + 1
      add_scores(sub(text, at, at + ${POSTING.size - 1}), one.worths, one.bit)
      n = n + 1
    else
      n = first_not(n, #documents, function(middle) return documents[middle] < found end)
    end
  end
  return n
end

-- Adds the postings of a class to these of the documents, which are in their order and have no exact score.
local function look_up(one, documents)
  local list, number, n = fields_of(one), 0, 1
  while n <= #documents do
    number = field_of(list, documents[n], number)
    n = look_up_in(text_of(list, number), one, documents, n)
  end
end

-- As \`look_up\`, but reads all postings between the first and the last of the documents.
local function look_through(one, documents, wanted)
  local list, last = fields_of(one), documents[#documents]
  for number = field_of(list, documents[1]), list.last do
    local text = text_of(list, number)
    if text ~= '' and document_at(text, 1) > last then return end
    for at = 1, #text, ${POSTING.size} do
      local a, b, c, d = byte(text, at, at + 3)
      if wanted[((a * 256 + b) * 256 + c) * 256 + d] then
        add_scores(sub(text, at, at + ${POSTING.size - 1}), one.worths, one.bit)
      end
    end
  end
end

-- What \`look_through\` takes for documents in their order, in postings that could be read instead.
local function cost_of_range(documents)
  local all = section and section.after - section.first or first_new
  local share = (documents[#documents] - documents[1] + 1) / all
  return unread_postings * math.min(1, share) / ${SKIPPED_PER_POSTING}
end

-- How many of documents in their order can be scored at a time.
local function affordable(documents)
  if #unread == 0 or #documents == 0 then return #documents end
  local cost = math.min(#documents * #unread * ${POSTINGS_PER_LOOKUP}, cost_of_range(documents))
  return math.max(1, math.min(#documents, math.floor(#documents * ${MOST_POSTINGS} / cost)))
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
  if #inexact == 0 then return end
  local lookups, range = count_lookups(by_length, unknown) * ${POSTINGS_PER_LOOKUP}, cost_of_range(inexact)
  work = work + math.min(lookups, range) / ${OVERESTIMATE}
  if lookups > range then
    local wanted = {}
    for _, document in ipairs(inexact) do wanted[document] = true end
    for _, one in ipairs(unread) do look_through(one, inexact, wanted) end
  else
    for _, one in ipairs(unread) do
      local of_length = by_length[one.length_class]
      if of_length then look_up(one, of_length) end
      if #unknown > 0 then look_up(one, unknown) end
    end
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
  floor = math.max(floor, scores[heap[place]])
  above_floor = {}
  for _, document in ipairs(heap) do above_floor[document] = true end
end

local function passing_share(passes)
  if unread_postings <= ${FEW_POSTINGS} then return 1 end
  local largest = unread[1]
  for _, one in ipairs(unread) do if one.count > largest.count then largest = one end end
  local list, tried, passed = fields_of(largest), 0, 0
  for n = 0, ${SAMPLE} - 1 do
    local text = text_of(list, math.floor(n * (list.last + 1) / ${SAMPLE}))
    local place = n % (#text / ${POSTING.size})
    tried = tried + 1
    if text ~= '' and passes(document_at(text, place * ${POSTING.size} + 1)) then passed = passed + 1 end
  end
  return passed / tried
end

local function begin_section(first, count, least)
  local width = count > 0 and count or math.floor(first_new * ${SECTION_POSTINGS} / math.max(1, unread_postings))
  local after = math.min(first_new, first + math.max(${LEAST_SECTION}, width))
  section, floor = { first = first, after = after, is_limited = count > 0 }, least
  local share = (after - first) / first_new
  unread_postings = unread_postings * share
  for _, one in ipairs(unread) do one.count = one.count * share end
  for document in pairs(scores) do
    if document < first or document >= after then scores[document] = nil end
  end
  return after < first_new and after or 0
end

local function score_section()
  if section.is_limited and unread_postings > ${MOST_POSTINGS} then return false end
  read_all()
  best_among, best_count = scores, 0
  return true
end

local function work_done()
  return work
end

local function score_best(size)
  if #unread == 0 then return true end
  if unread_postings <= ${FEW_POSTINGS} then
    read_all()
    return true
  end
  if not section and unread_postings > ${HOPELESS_POSTINGS} then return false end
  table.sort(unread, function(one, other) return one.share < other.share end)
  for document in pairs(scores) do above_floor[document] = true end
  local read, next_check = 0, ${FEW_POSTINGS / 4}
  while #unread > 0 do
    if (not section or section.is_limited) and read > ${MOST_POSTINGS} then return false end
    local one = table.remove(unread)
    read_class(one)
    read = read + one.count
    if read >= next_check then
      next_check = 1.5 * read
      raise_floor(size)
      local _, most = open_worths()
      if floor > most then
        local likely = possible()
        if #likely * ${POSTINGS_PER_LOOKUP} < unread_postings then
          score_exactly(likely)
          if #unread > 0 then best_among, best_count = exact, size end
          return true
        end
      end
    end
  end
  return true
end
`,
);
