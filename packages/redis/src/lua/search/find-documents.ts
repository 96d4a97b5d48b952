import { MAX_SPEAKERS } from '@keepsake/search/remote';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { FILTER_LUA } from '../records/filter.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { POSTINGS_LUA } from '../records/postings.ts';
import { STORED_RECORDS_LUA } from '../records/stored-records.ts';
import { THREADS_LUA, TURN_ENTRY } from '../records/threads.ts';
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
 * `findArguments`: the analysis of texts; 'swept' or 'not swept' if expired records need not be removed first; how many
 * documents to find; how many turns on each side of one may lend it score; a filter as JSON, or ''; '1' and the documents that
 * pass it, four bytes each, if they are known, else '' twice; '1' if the query has a vector; the nearest documents, four bytes each; the times that the query names, each with its gain and its periods. Lists
 * begin with their length.
 *
 * `find_documents(found, norm)` scores the documents by `found`, as `score_words` does, and returns the best documents by
 * words, the nearest, and the turns around both, packed as in {@link FoundDocumentsReply}; nil if it must know first which
 * documents pass the filter, because that takes long. Needs `read_speakers()` first.
 */
export const FIND_DOCUMENTS_LUA = `${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${STORED_RECORDS_LUA}${POSTINGS_LUA}${THREADS_LUA}
${TERM_SHARES_LUA}${FILTER_LUA}${FOUND_RECORDS_LUA}${SCORES_LUA}${NEIGHBOURS_LUA}${SEARCH_STATS_LUA}${QUERY_WORDS_LUA}
${FOUND_SPEAKERS_LUA}
local function take_times()
  local times = {}
  for n = 1, take_number() do
    times[n] = { gain = take_number(), from = {}, to = {} }
    for period = 1, take_number() do times[n].from[period], times[n].to[period] = take_number(), take_number() end
  end
  return times
end

local analysis, swept, size, around = take(), take(), take_number(), take_number()
local rules = read_rules(take())
local has_passing, passing = take() == '1', take()
local has_vector, nearest, times = take() == '1', take(), take_times()
-- Records that have expired since pass no filter, not even one without rules.
if holds_expired then rules = rules or {} end

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
  local share = passing_share(function(document) return may_be_found(document, rules) end)
  return share >= ${LEAST_SHARE} and math.ceil(${SPARE} * wanted / share) or nil
end

-- Returns whether it did, which it does not if too few documents pass the filter.
local function score_documents(found, norm)
  score_words(found, norm)
  local reach = reach_of(#times > 0 and math.max(size, ${MAX_DATED}) or size)
  if not reach then return false end
  score_best(reach)
  score_exactly(documents_in(passing))
  score_exactly(documents_in(nearest))
  return true
end

local function find_documents(found, norm)
  if not score_documents(found, norm) then return nil end
  local passing_documents, gave_up = {}, false
  if rules then passing_documents, gave_up = best_documents(size, rules, times, has_passing and passing or nil) end
  if gave_up then return nil end
  for _, document in ipairs(best_documents(size, nil, times)) do collect(document) end
  for _, document in ipairs(passing_documents) do collect(document) end
  for at = 1, #nearest, 4 do collect((struct.unpack('>I4', nearest, at))) end
  for _, turn in ipairs(pack_neighbours(rules, has_vector, assistant)) do packed[#packed + 1] = turn end
  return table.concat(packed)
end
`;
