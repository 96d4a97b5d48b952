import { MAX_SPEAKERS } from '@keepsake/search/remote';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { FILTER_LUA } from '../records/filter.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { POSTING_LISTS_LUA } from '../records/posting-lists.ts';
import { POSTINGS_LUA } from '../records/postings.ts';
import { REPLY } from '../records/replies.ts';
import { STORED_RECORDS_LUA } from '../records/stored-records.ts';
import { THREADS_LUA, TURN_ENTRY } from '../records/threads.ts';
import { VALUE_DOCUMENTS_LUA } from '../records/value-documents.ts';
import { FOUND_RECORDS_LUA } from './found-records.ts';
import { FOUND_STATUS, NEIGHBOURS_LUA } from './neighbours.ts';
import { QUERY_WORDS_LUA } from './query-words.ts';
import { MAX_DATED, SCORES_LUA } from './scores.ts';
import { SEARCH_STATS_LUA } from './search-stats.ts';
import { TERM_SHARES_LUA } from './term-shares.ts';

/** If a lower share of documents passes a filter, those that do are looked for in steps. */
const LEAST_SHARE = 0.25;

/** How many times as many documents are looked for as should be enough: the share comes from a sample. */
const SPARE = 1.25;

/** How many times as many are looked for if too few of them pass, and how many at most. */
const MORE = 4;
const MOST_BEST = 2_500;

/** Of at most this many documents with a value, all are filtered if better ones do not pass. */
const MOST_KNOWN = 500;

/** If at most this many documents have a value that the filter requires, only these are scored. */
export const FEW_DOCUMENTS = 500;

/** What a script is told about the documents that pass the filter. */
export const PASSING_DOCUMENTS = {
  /** Nothing: it looks for them among the best. */
  unknown: '',
  /** All of them are among those that follow. */
  known: 'known',
  /** Some are among those that follow: it only returns the best of these. */
  some: 'some',
} as const;

/** What scripts that find documents reply with. */
export type FoundDocumentsReply = [
  /** The documents: of each its `TURN_ENTRY` and its `FOUND_DOCUMENT`. */
  documents: Buffer,
  /** The number and the name of each speaker. */
  speakers: (number | Buffer)[],
];

/**
 * Lua: reads the speakers. Needs `NAMESPACE_KEYS_LUA`.
 *
 * `read_speakers()` reads `SPEAKERS`. Then `speakers` has the number and the name of each, `turns_by_alias` how many turns the
 * speakers of an alias have, and `assistant` the number of the assistant.
 */
const FOUND_SPEAKERS_LUA = `
local turns_by_alias, speakers, assistant = {}, {}, nil
local function read_speaker(name, json)
  local speaker = cjson.decode(json)
  speakers[#speakers + 1], speakers[#speakers + 2] = speaker[1], name
  if name == 'assistant' then assistant = speaker[1] end
  for n = 3, #speaker do
    local alias = speaker[n]
    turns_by_alias[alias] = (turns_by_alias[alias] or 0) + speaker[2]
  end
end

local function read_speakers()
  if redis.call('HLEN', SPEAKERS) <= ${MAX_SPEAKERS} then
    local all = redis.call('HGETALL', SPEAKERS)
    for n = 1, #all, 2 do read_speaker(all[n], all[n + 1]) end
    return
  end
  for _, role in ipairs({ 'user', 'assistant' }) do
    local known = redis.call('HGET', SPEAKERS, role)
    if known then read_speaker(role, known) end
  end
end
`;

/**
 * Lua: finds the documents that may rank first, with all parts of a search that it needs. Reads the arguments of
 * `findArguments`, of which lists begin with their length, and lists of documents have four bytes each:
 *
 * - the analysis of texts; 'swept' or 'not swept' if expired records need not be removed first
 * - how many documents to find; how many turns on each side of one may lend it score
 * - a filter as JSON, or ''; the fields that must be indexed as JSON, or ''
 * - one of {@link PASSING_DOCUMENTS} with documents; the state that the last reply `sections` gave, or ''
 * - '1' if the query has a vector; the nearest documents
 * - the times that the query names, each with its gain and its periods
 *
 * `find_documents(found, norm)` scores the documents by `found`, as `score_words` does, and returns the best documents by
 * words, the nearest, and the turns around both, packed as in {@link FoundDocumentsReply}; or nil and the reply of what it must
 * know first, because that takes long. Needs `read_speakers()` first. A script can set `kept` to what comes before the state in
 * the reply `sections`, and must take that off `state` in the next script.
 *
 * `find_part(found, norm)` answers the arguments that give some of the documents that may pass, and returns nil for all others.
 * Its reply is `found`, how many of them it looked at, in their order, and the best of those that pass: four bytes for a
 * document, and eight for its score.
 */
export const FIND_DOCUMENTS_LUA = `${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${STORED_RECORDS_LUA}${POSTINGS_LUA}
${POSTING_LISTS_LUA}${THREADS_LUA}${TERM_SHARES_LUA}${FILTER_LUA}${VALUE_DOCUMENTS_LUA}${FOUND_RECORDS_LUA}${SCORES_LUA}
${NEIGHBOURS_LUA}${SEARCH_STATS_LUA}${QUERY_WORDS_LUA}${FOUND_SPEAKERS_LUA}
local function take_times()
  local times = {}
  for n = 1, take_number() do
    times[n] = { gain = take_number(), from = {}, to = {} }
    for period = 1, take_number() do times[n].from[period], times[n].to[period] = take_number(), take_number() end
  end
  return times
end

local analysis, swept, size, around = take(), take(), take_number(), take_number()
local rules, wanted_fields = read_rules(take()), take()
local passing_are, passing, state = take(), take(), take()
local has_vector, nearest, times = take() == '1', take(), take_times()
local has_passing = passing_are ~= '${PASSING_DOCUMENTS.unknown}'
-- If few enough documents have the value, the search looks only at these.
local value = not has_passing and rarest_value(rules)
if value and value.size >= ${LEAST_SHARE} * documents then value = nil end
local has_turns = redis.call('HLEN', THREADS) > 0
-- Records that have expired since pass no filter, not even one without rules.
if holds_expired then rules = rules or {} end

-- More if the query names times: their documents may not be the first by words.
local wanted_size = #times > 0 and math.max(size, ${MAX_DATED}) or size

local packed, collected = {}, {}
local function collect(document)
  if collected[document] then return end
  collected[document] = true
  local inline = inline_of(document)
  local header = live_header(inline)
  if header then versions[document] = header.version end
  local turn = header and turn_of(inline, header)
  if turn then want_around(document, turn[2], turn[3], around)
  elseif header then
    local passes_filter = not rules or may_be_found(document, rules)
    local status = ${FOUND_STATUS.noTurn} + (passes_filter and ${FOUND_STATUS.passes} or 0)
    local entry = struct.pack('${TURN_ENTRY.format}', 0, document, header.text_flags, 0, time_of(inline, header))
    packed[#packed + 1] = pack_document(entry, 0, document, status)
  end
end

local function documents_in(packed)
  local list = {}
  for at = 1, #packed, 4 do list[#list + 1] = struct.unpack('>I4', packed, at) end
  return list
end

-- How many of the best to look for, so that enough of them pass the filter. nil if that is too many.
local function reach_of(wanted)
  if not rules or has_passing then return wanted end
  if value then return math.ceil(${SPARE} * wanted) end
  local share = passing_share(function(document) return may_be_found(document, rules) end)
  return share >= ${LEAST_SHARE} and math.ceil(${SPARE} * wanted / share) or nil
end

local function first_of(list, wanted, passes)
  local found = {}
  for _, document in ipairs(list) do
    if #found == wanted then break end
    if passes(document) then found[#found + 1] = document end
  end
  return found
end

-- What scripts of one search have in common, before the state.
local kept = ''

-- How to go on with a search: whether it looks only at documents with the value, how many it looks for, and its state.
local function in_sections(reach, after)
  return { '${REPLY.sections}', kept .. struct.pack('>BI4', value and 1 or 0, reach) .. after }
end

local function exists(document)
  return inline_of(document) ~= nil
end

local function passes_filter(document)
  return may_read_more() and may_be_found(document, rules)
end

-- Finds the best documents. Returns them, and those that pass if these are not known; or nil and the reply of what to do first.
local function find_in_sections()
  local with_value, reach, before = nil, nil, ''
  if state ~= '' then
    with_value, reach = struct.unpack('>BI4', state)
    before = sub(state, 6)
  end
  -- How many documents have the value may have changed since the script before.
  if with_value ~= (value and 1 or 0) then reach, before = reach_of(wanted_size), '' end
  if not reach then return nil, { '${REPLY.filter}' } end
  local best, after = find_best(reach, before, value)
  if not best then return nil, in_sections(reach, after) end
  local may_find_more = #best == reach and ${MORE} * reach <= ${MOST_BEST}
  local found = first_of(best, wanted_size, exists)
  if not rules or has_passing then
    -- Some may have been deleted since the script before.
    if #found < wanted_size and may_find_more then return nil, in_sections(${MORE} * reach, '') end
    return found, {}
  end
  local passing_documents = first_of(best, wanted_size, passes_filter)
  if #passing_documents < wanted_size and not may_read_more() then
    return nil, { '${REPLY.likely}', pack_documents(best), #best < reach and 1 or 0 }
  end
  if #passing_documents < wanted_size and #best == reach then
    return nil, may_find_more and in_sections(${MORE} * reach, '') or { '${REPLY.filter}' }
  end
  if value and has_turns then return nil, { '${REPLY.passing}', pack_documents(passing_documents) } end
  return found, passing_documents
end

local function pack_scored(list)
  local parts = {}
  for n, document in ipairs(list) do parts[n] = struct.pack('>I4d', document, scores[document]) end
  return concat(parts)
end

local function narrow(found, norm)
  score_words(found, norm)
  local documents = documents_in(passing)
  table.sort(documents)
  local count = affordable(documents)
  for n = #documents, count + 1, -1 do documents[n] = nil end
  score_exactly(documents)
  passing = pack_documents(documents)
  return { '${REPLY.found}', count, pack_scored((best_by_words(wanted_size, rules, passing))) }
end

-- If so few documents have the value that their scores take one script, all of them are looked up.
local function use_few()
  if not value or value.size > ${FEW_DOCUMENTS} then return end
  local packed = documents_with(value)
  if affordable(documents_in(packed)) * 4 == #packed then has_passing, passing, value = true, packed, nil end
end

local function find_documents(found, norm)
  score_words(found, norm)
  use_few()
  if has_passing and passing == '' and nearest == '' then return '' end
  -- Documents that don't pass matter only because turns lend score to one another.
  local needs_best = not has_passing or has_turns
  -- If not all postings are read, only the documents in these lists are sure to have their scores.
  local best, passing_among = nil, has_passing and passing or nil
  if needs_best and not read_few() then
    local documents, other = find_in_sections()
    if not documents then return nil, other end
    best, passing_among = pack_documents(documents), passing_among or pack_documents(other)
    score_exactly(documents)
  elseif value then
    local documents = scored_with(value)
    if #documents <= ${MOST_KNOWN} then passing_among = pack_documents(documents) end
  end
  score_exactly(documents_in(passing_among or ''))
  score_exactly(documents_in(nearest))
  local passing_documents, gave_up = {}, false
  if rules then passing_documents, gave_up = best_documents(size, rules, times, passing_among) end
  if gave_up then return nil, { '${REPLY.filter}' } end
  if needs_best then
    for _, document in ipairs(best_documents(size, nil, times, best)) do collect(document) end
  end
  for _, document in ipairs(passing_documents) do collect(document) end
  for at = 1, #nearest, 4 do collect((struct.unpack('>I4', nearest, at))) end
  for _, turn in ipairs(pack_neighbours(rules, has_vector, assistant)) do packed[#packed + 1] = turn end
  return table.concat(packed)
end

local function find_part(found, norm)
  if passing_are == '${PASSING_DOCUMENTS.some}' then return narrow(found, norm) end
end
`;
