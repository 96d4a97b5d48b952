import { luaModule } from '../lua-module.ts';
import { POSTING } from '../records/postings.ts';
import { POSTINGS_PER_LOOKUP } from './unread-postings.ts';

/*
 * What a script takes is counted in postings that are read and added to the scores, each about 0.4 µs. The other figures are
 * measured in these.
 */

/** What a script does about at most. With all that is not counted, this takes a server about 10 ms. */
const MOST_WORK = 12_000;

/** The first section of a script. Each further one is twice as large, because scores that matter little are known then. */
const FIRST_SECTION = 2_000;

/** What it takes to read a posting, and to add it only to the score of a document that has one. */
const READ = 0.25;

/** What it takes to read a posting, and to note its document. */
const NOTE = 0.5;

/** What a section takes for each list, beside its postings. */
const LIST = 30;

/** How many postings are unpacked at once. Eight take a third of the time that they take one by one. */
const AT_ONCE = 8;

/** If at most this many documents have a value, they are read once for all sections of a script. */
const FEW_WANTED = 12_000;

const NUMBERS = Array.from({ length: AT_ONCE }, (_, n) => n + 1);

/** Lua: reads the postings of `text`, with `code` for each document `d` and its weight `w`. */
function eachPosting(code: (document: string, weight: string) => string): string {
  return `
  local at, last = 1, #text
  while at + ${AT_ONCE * POSTING.size - 1} <= last do
    local ${NUMBERS.map((n) => `d${n}, w${n}`).join(', ')} = struct.unpack('>${'I4B'.repeat(AT_ONCE)}', text, at)
    ${NUMBERS.map((n) => code(`d${n}`, `w${n}`)).join('\n    ')}
    at = at + ${AT_ONCE * POSTING.size}
  end
  while at <= last do
    local d, w = struct.unpack('${POSTING.format}', text, at)
    ${code('d', 'w')}
    at = at + ${POSTING.size}
  end`;
}

/**
 * Lua: finds the best documents without reading most postings, in sections that the server can serve others between. Needs
 * what `UNREAD_POSTINGS_LUA` shares, and `scores`, `length_class_of`, `note_length_class`, `each_in` and `best_of` of `SCORES_LUA`.
 *
 * All postings of a document are in classes of the same length. So documents of each length are a group, with lists of its own,
 * and what the lists can add bounds the scores of the group. The groups follow by this bound, until no other document can be
 * among the best. Of a group, the lists follow by how much their postings can add. Once those that remain can't make a
 * document one of the best that has no score yet, they are only read for those that have one. A section has the documents of
 * one group, from one number to another.
 *
 * `find_best(size, state, value)` goes on from a state, at first ''. At the end, it returns the best documents, best first.
 * Returns nil and a state if the server should serve others first. With a list that `rarest_value` returned, it only finds
 * documents that have this value. `scored_with(value)` returns the documents that have a score and the value.
 */
export const SECTIONS_LUA = luaModule(
  ['find_best', 'scored_with'],
  `
local work = 0

-- The most that the lists from the \`n\`th on can add to the score of a document, by \`n\`: it is in one class of each term.
local function open_worths(lists)
  local open, most, sum = { [#lists + 1] = 0 }, {}, 0
  for n = #lists, 1, -1 do
    local one = lists[n]
    local before = most[one.list] or 0
    if one.most > before then sum, most[one.list] = sum + one.most - before, one.most end
    open[n] = sum
  end
  return open
end

-- By length class: its \`lists\`, what they can add, the documents whose scores are \`known\` so far, and the highest score that a
-- document can have.
local function read_groups()
  local groups = {}
  local function group_of(length_class)
    groups[length_class] = groups[length_class] or { lists = {}, known = {}, bound = 0 }
    return groups[length_class]
  end
  for _, one in ipairs(unread) do insert(group_of(one.length_class).lists, one) end
  for document, score in pairs(scores) do
    local group = group_of(length_class_of(document))
    group.known[document], group.bound = score, math.max(group.bound, score)
  end
  for _, group in pairs(groups) do
    table.sort(group.lists, function(one, other) return one.most * other.count > other.most * one.count end)
    group.open = open_worths(group.lists)
    group.bound = group.bound + group.open[1]
  end
  return groups
end

local function next_group(groups, is_done, floor)
  local next_class
  for length_class, group in pairs(groups) do
    if not is_done[length_class] and group.bound >= floor then
      local other = next_class and groups[next_class].bound or -1
      if group.bound > other or (group.bound == other and length_class < next_class) then next_class = length_class end
    end
  end
  return next_class
end

-- The end of a section that begins with a document, and takes about as much work as there is room for.
local function section_end(group, first, room, floor, value)
  local cost = value and value.size > ${FEW_WANTED} and ${NOTE} * value.size or 0
  for n, one in ipairs(group.lists) do
    cost = cost + one.count * ((value or group.open[n] < floor) and ${READ} or 1)
  end
  local share = math.min(1, room / math.max(1, cost))
  local after = math.min(first_new, first + math.max(1, math.ceil(first_new * share)))
  -- Where more documents than elsewhere have a term or the value, the section ends earlier.
  local function limit(list, count)
    local number = field_of(list, first) + 2 + math.floor(2 * count * share * POSTING_SIZE / FIELD_SIZE)
    local text = number <= list.last and text_of(list, number) or ''
    if text ~= '' then after = math.min(after, math.max(first + 1, document_at(text, 1))) end
  end
  for _, one in ipairs(group.lists) do limit(fields_of(one), one.count) end
  if value and value.size > ${FEW_WANTED} then limit(value, value.size) end
  work = work + ${LIST} * #group.lists
  return after
end

local function add_all(found, text, worths)${eachPosting((d, w) => `found[${d}] = (found[${d}] or 0) + worths[${w}]`)}
end

local function add_wanted(found, text, worths, wanted)${eachPosting(
    (d, w) => `if wanted[${d}] then found[${d}] = (found[${d}] or 0) + worths[${w}] end`,
  )}
end

local function add_to_known(found, text, worths)${eachPosting(
    (d, w) => `if found[${d}] then found[${d}] = found[${d}] + worths[${w}] end`,
  )}
end

-- Removes the documents with lower scores. Returns how many remain.
local function keep_from(least, found)
  local count = 0
  for document, score in pairs(found) do
    if score < least then found[document] = nil else count = count + 1 end
    work = work + ${READ}
  end
  return count
end

local function in_order_of(found)
  local documents = {}
  for document in pairs(found) do documents[#documents + 1] = document end
  table.sort(documents)
  return documents
end

-- Adds the postings of a list to the documents of a section that have a score: \`count\` of them.
local function add_list_to_known(one, found, count, first, after)
  if count * ${POSTINGS_PER_LOOKUP} < one.count * (after - first) / first_new * ${READ} then
    work = work + count * ${POSTINGS_PER_LOOKUP}
    look_up(one, in_order_of(found), function(posting) add_to_known(found, posting, one.worths) end)
    return
  end
  each_text(one, first, after, function(text)
    work = work + #text / ${POSTING.size} * ${READ}
    add_to_known(found, text, one.worths)
  end)
end

local function note_documents(documents, text)${eachPosting((d) => `documents[${d}] = true`)}
end

-- The documents of a section that have a value.
local function documents_with_value(value, first, after)
  if value.documents then return value.documents end
  local is_few, documents = value.size <= ${FEW_WANTED}, {}
  if is_few then first, after, value.documents = 0, first_new, documents end
  each_text({ fields = value }, first, after, function(text)
    work = work + #text / ${POSTING.size} * ${NOTE}
    note_documents(documents, text)
  end)
  return documents
end

local function scored_with(value)
  local found = {}
  if value.size > ${FEW_WANTED} then
    look_up({ fields = value }, in_order_of(scores), function(posting) found[#found + 1] = document_at(posting, 1) end)
    return found
  end
  for document in pairs(documents_with_value(value, 0, first_new)) do
    if scores[document] then found[#found + 1] = document end
  end
  return found
end

-- The scores of the documents of a section. Only those of at least \`floor\` are sure to be there.
local function score_section(group, first, after, floor, value)
  local found, wanted = {}, value and documents_with_value(value, first, after)
  for document, score in pairs(group.known) do
    if document >= first and document < after and (not wanted or wanted[document]) then found[document] = score end
  end
  for n, one in ipairs(group.lists) do
    if group.open[n] >= floor then
      each_text(one, first, after, function(text)
        work = work + #text / ${POSTING.size} * (wanted and ${READ} or 1)
        if wanted then add_wanted(found, text, one.worths, wanted) else add_all(found, text, one.worths) end
      end)
    else
      local count = keep_from(floor - group.open[n], found)
      if count == 0 then break end
      add_list_to_known(one, found, count, first, after)
    end
  end
  return found
end

-- The scores and length classes of the best documents so far, and the score that others need to be among them.
local function pack_best(best)
  local parts = { struct.pack('>d', best.floor) }
  for document, score in pairs(best.scores) do
    parts[#parts + 1] = struct.pack('>I4dB', document, score, best.lengths[document])
  end
  return concat(parts)
end

local function unpack_best(state, at)
  local best = { scores = {}, lengths = {}, floor = 0 }
  if at <= #state then best.floor, at = struct.unpack('>d', state, at) end
  while at <= #state do
    local document, score, length_class
    document, score, length_class, at = struct.unpack('>I4dB', state, at)
    best.scores[document], best.lengths[document] = score, length_class
  end
  return best
end

-- Adds the documents of a section to the best so far.
local function add_best(best, size, found, length_class)
  for document, score in pairs(found) do
    if score >= best.floor then best.scores[document], best.lengths[document] = score, length_class end
  end
  local order = {}
  for _, score in pairs(best.scores) do order[#order + 1] = score end
  work = work + #order * ${READ}
  if #order < size then return end
  table.sort(order)
  best.floor = order[#order - size + 1]
  -- Of equal scores, the newest documents are the best. Mostly, there are few.
  if keep_from(best.floor, best.scores) <= 2 * size then return end
  local kept = {}
  for _, document in ipairs(best_of(size, best.scores, each_in(best.scores))) do kept[document] = best.scores[document] end
  best.scores = kept
end

-- The document that the next section begins with and its length class, 255 if that is a new group; the length classes that are
-- done; then the best documents.
local function pack_state(first, length_class, is_done, best)
  local done = {}
  for one in pairs(is_done) do done[#done + 1] = char(one) end
  return struct.pack('>I4BB', first, length_class or 255, #done) .. concat(done) .. pack_best(best)
end

local function unpack_state(state)
  local first, length_class, count, at = 0, 255, 0, 1
  if state ~= '' then first, length_class, count, at = struct.unpack('>I4BB', state) end
  local is_done = {}
  for n = at, at + count - 1 do is_done[byte(state, n)] = true end
  return first, length_class ~= 255 and length_class or nil, is_done, unpack_best(state, at + count)
end

local function find_best(size, state, value)
  local groups, room = read_groups(), ${FIRST_SECTION}
  local first, length_class, is_done, best = unpack_state(state)
  while true do
    length_class = length_class or next_group(groups, is_done, best.floor)
    if not length_class then break end
    if work >= ${MOST_WORK} then return nil, pack_state(first, length_class, is_done, best) end
    local group, after = groups[length_class], first_new
    -- The group may be gone since the script before.
    if group and group.bound >= best.floor then
      after = section_end(group, first, room, best.floor, value)
      add_best(best, size, score_section(group, first, after, best.floor, value), length_class)
    end
    first = after
    if first >= first_new then
      is_done[length_class] = true
      first, length_class = 0, nil
    end
    room = math.max(${FIRST_SECTION}, math.min(2 * room, ${MOST_WORK} - work))
  end
  -- They need not be looked up in other classes then.
  for document in pairs(best.scores) do note_length_class(document, best.lengths[document]) end
  return best_of(size, best.scores, each_in(best.scores))
end
`,
);
