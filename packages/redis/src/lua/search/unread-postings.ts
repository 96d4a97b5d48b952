import { luaModule } from '../lua-module.ts';
import { POSTING } from '../records/postings.ts';

/** Postings whose number is below this are all read: less work than to look for what can be left out. */
const FEW_POSTINGS = 4_000;

/** What it takes to look up a document in a class, in postings that could be read instead. */
export const POSTINGS_PER_LOOKUP = 8;

/** How many postings are skipped in the time in which one is read. */
const SKIPPED_PER_POSTING = 2;

/** What a script looks up at most, in postings that it could read instead: takes a server about 10 ms. */
const MOST_POSTINGS = 25_000;

/** How many documents are tried for a filter before the best are looked for. */
const SAMPLE = 48;

/**
 * Lua: the postings of split terms, which are read as far as they are needed. Needs `POSTING_LISTS_LUA`, and
 * `scores`, `matched`, `add_scores` and `length_class_of` of `SCORES_LUA`. Reads `TERMS`.
 *
 * - `add_list(list, worths, bit)` takes the postings of a term that is split, with what each weight is worth. `unread` then has
 *   its classes, each with its `list`, `worths` and `length_class`, the `count` of its postings and the `most` that one adds.
 * - `read_few()` reads all postings if there are few. Returns whether all are read.
 * - `each_text(one, first, after, take)` calls `take` with texts that together have the postings of a class of the documents
 *   from `first` to the one before `after`. `fields_of(one)` returns its postings as `read_fields` does.
 * - `look_up(one, documents, take)` calls `take` with each posting of a class of these documents, which are in their order.
 * - `score_exactly(documents)` makes the scores of these exact. `affordable(documents)` returns how many of these, in their
 *   order, it can do in a script that should not take long.
 * - `passing_share(passes)` returns the share of documents for which `passes(document)` holds, from a sample.
 */
export const UNREAD_POSTINGS_LUA = luaModule(
  [
    ...['unread', 'add_list', 'read_few', 'each_text', 'fields_of', 'look_up', 'score_exactly', 'affordable'],
    'passing_share',
  ],
  `
local unread, unread_postings = {}, 0
-- The documents whose scores are exact, of those that may have postings that are not read.
local exact = {}

local function add_list(list, worths, bit)
  local most = {}
  for weight = 0, 255 do
    local class = CLASS_OF[weight]
    most[class] = math.max(most[class] or 0, worths[weight])
  end
  for _, class in ipairs(list.classes) do
    unread[#unread + 1] = {
      list = list, class = class, length_class = class % LENGTH_CLASSES, count = list.counts[class],
      worths = worths, bit = bit, most = most[class],
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

-- The first place from \`low\` to \`high\` for which \`is_before(place)\` does not hold, or the one after \`high\`.
local function first_not(low, high, is_before)
  high = high + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_before(middle) then low = middle + 1 else high = middle end
  end
  return low
end

-- Where the postings of a text begin that are not before a document.
local function place_in(text, document)
  local count = #text / ${POSTING.size}
  local place = first_not(1, count, function(place)
    return document_at(text, (place - 1) * ${POSTING.size} + 1) < document
  end)
  return (place - 1) * ${POSTING.size} + 1
end

local function each_text(one, first, after, take)
  local list = fields_of(one)
  for number = field_of(list, first), list.last do
    local text = text_of(list, number)
    if text ~= '' then
      if document_at(text, 1) >= after then return end
      if document_at(text, 1) < first then text = sub(text, place_in(text, first)) end
      if text ~= '' and document_at(text, #text - ${POSTING.size - 1}) >= after then
        text = sub(text, 1, place_in(text, after) - 1)
      end
      if text ~= '' then take(text) end
    end
  end
end

local function read_few()
  if unread_postings > ${FEW_POSTINGS} then return false end
  for _, one in ipairs(unread) do
    each_text(one, 0, first_new, function(text) add_scores(text, one.worths, one.bit) end)
  end
  for n = #unread, 1, -1 do unread[n] = nil end
  unread_postings = 0
  return true
end

-- The last field, not before \`number\`, whose first document is not above this one.
local function field_with(list, document, number)
  local low, high = number, list.last
  while low < high do
    local middle = math.ceil((low + high) / 2)
    local first = list.firsts[middle]
    if not first then
      local text = text_of(list, middle)
      first = text ~= '' and document_at(text, 1) or math.huge
      list.firsts[middle] = first
    end
    if first <= document then low = middle else high = middle - 1 end
  end
  return low
end

-- The posting of a document in a text, if it is there. Guesses its place, because documents are mostly spread evenly.
local function posting_in(text, document)
  local low, high = 0, #text / ${POSTING.size} - 1
  if high < 0 then return nil end
  local first, last = document_at(text, 1), document_at(text, high * ${POSTING.size} + 1)
  while low <= high and document >= first and document <= last do
    local share = last > first and (document - first) / (last - first) or 0
    local middle = low + math.floor((high - low) * share)
    local at = middle * ${POSTING.size} + 1
    local found = document_at(text, at)
    if found == document then return sub(text, at, at + ${POSTING.size - 1}) end
    if found < document then low, first = middle + 1, found + 1 else high, last = middle - 1, found - 1 end
  end
end

local function look_up(one, documents, take)
  if #documents == 0 then return end
  local list, number = fields_of(one), 0
  list.firsts = list.firsts or {}
  for _, document in ipairs(documents) do
    number = field_with(list, document, number)
    local posting = posting_in(text_of(list, number), document)
    if posting then take(posting) end
  end
end

-- As \`look_up\`, but reads all postings between the first and the last of the documents.
local function look_through(one, documents, wanted, take)
  each_text(one, documents[1], documents[#documents] + 1, function(text)
    for at = 1, #text, ${POSTING.size} do
      if wanted[document_at(text, at)] then take(sub(text, at, at + ${POSTING.size - 1})) end
    end
  end)
end

-- What \`look_through\` takes for documents in their order, in postings that could be read instead.
local function cost_of_range(documents)
  local share = (documents[#documents] - documents[1] + 1) / first_new
  return unread_postings * math.min(1, share) / ${SKIPPED_PER_POSTING}
end

local function affordable(documents)
  if #unread == 0 or #documents == 0 then return #documents end
  local cost = math.min(#documents * #unread * ${POSTINGS_PER_LOOKUP}, cost_of_range(documents))
  return math.max(1, math.min(#documents, math.floor(#documents * ${MOST_POSTINGS} / cost)))
end

-- Whether a document can be in a class: not if it is in one of another length.
local function may_be_in(one, document)
  return not matched[document] or length_class_of(document) == one.length_class
end

local function documents_for(one, documents)
  local found = {}
  for _, document in ipairs(documents) do
    if may_be_in(one, document) then found[#found + 1] = document end
  end
  return found
end

local function count_lookups(documents)
  local by_length, unknown, lookups = {}, 0, 0
  for _, document in ipairs(documents) do
    local length_class = matched[document] and length_class_of(document)
    if length_class then by_length[length_class] = (by_length[length_class] or 0) + 1 else unknown = unknown + 1 end
  end
  for _, one in ipairs(unread) do
    lookups = lookups + math.min(unknown + (by_length[one.length_class] or 0), one.count)
  end
  return lookups
end

-- Adds the postings of documents that are not read to their scores.
local function add_unread(documents)
  if #unread == 0 then return end
  local inexact, wanted = {}, {}
  for _, document in ipairs(documents) do
    if not exact[document] then
      inexact[#inexact + 1] = document
      exact[document], wanted[document] = true, true
    end
  end
  if #inexact == 0 then return end
  table.sort(inexact)
  -- The largest first: a document that is found there need not be looked up in classes of other lengths.
  table.sort(unread, function(one, other) return one.count > other.count end)
  local looks_through = count_lookups(inexact) * ${POSTINGS_PER_LOOKUP} > cost_of_range(inexact)
  for _, one in ipairs(unread) do
    local function take(posting) add_scores(posting, one.worths, one.bit) end
    if looks_through then look_through(one, inexact, wanted, take)
    else look_up(one, documents_for(one, inexact), take) end
  end
end

local function score_exactly(documents)
  add_unread(documents)
  -- Their texts were replaced by those of another length, since a script before noted it.
  local replaced = {}
  for _, document in ipairs(documents) do
    if matched[document] and not scores[document] then
      replaced[#replaced + 1] = document
      exact[document], matched[document] = nil, nil
    end
  end
  add_unread(replaced)
end

local function passing_share(passes)
  local largest = unread[1]
  for _, one in ipairs(unread) do if one.count > largest.count then largest = one end end
  local list, tried, passed = fields_of(largest), 0, 0
  for n = 0, ${SAMPLE} - 1 do
    local text = text_of(list, math.floor(n * (list.last + 1) / ${SAMPLE}))
    local place = n % (#text / ${POSTING.size})
    local document = text ~= '' and document_at(text, place * ${POSTING.size} + 1)
    -- Not the documents of a batch that is being put.
    if document and document < first_new then
      tried = tried + 1
      if passes(document) then passed = passed + 1 end
    end
  end
  return passed / math.max(1, tried)
end
`,
);
