import { LATIN_LANGUAGES } from '@keepsake/search';
import { reading } from '../../client/script.ts';
import { FILTER_LUA } from '../records/filter.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { REPLY } from '../records/replies.ts';
import { STORED_RECORDS_LUA } from '../records/stored-records.ts';
import { FIND_DOCUMENTS_LUA, type FoundDocumentsReply } from './find-documents.ts';

/**
 * Lua: weighs the words of the query by the documents of the namespace. Needs `SEARCH_STATS_LUA`, `QUERY_WORDS_LUA` and
 * `FOUND_SPEAKERS_LUA`.
 *
 * - `document_languages()` returns the languages of the documents, the most frequent first.
 * - `weigh_words()` reads the words from the arguments. It returns those that any document holds, with groups of related
 *   terms, by falling worth. Reads `TERMS`.
 * - `first_worths(found, norm)` returns both as they were in the first script of the search, and `pack_worths(found, norm)`
 *   packs them for the next one.
 * - `reply_worths(found)` returns the words as `SearchReply` has them.
 */
const OWN_WORTHS_LUA = `
local LANGUAGES = { ${LATIN_LANGUAGES.map((language) => `'${language}'`).join(', ')} }
local function document_languages()
  local counted, names = {}, {}
  for n, language in ipairs(LANGUAGES) do
    local count = language_counts[n]
    if count then counted[#counted + 1] = { name = language, count = tonumber(count), n = n } end
  end
  table.sort(counted, function(a, b) return a.count > b.count or (a.count == b.count and a.n < b.n) end)
  for n, language in ipairs(counted) do names[n] = language.name end
  return table.concat(names, ',')
end

local function weigh_words()
  local found = {}
  each_word(function(word, group, weight, lists, size, aliases)
    if size == 0 then return end
    local turns = 0
    for _, alias in ipairs(aliases) do turns = math.max(turns, turns_by_alias[alias] or 0) end
    local matching = math.min(math.max(size, turns), documents)
    local idf = math.log(1 + (documents - matching + 0.5) / (matching + 0.5))
    found[#found + 1] = { word = word, group = group, lists = lists, worth = weight * idf }
  end)
  table.sort(found, function(a, b)
    if a.worth ~= b.worth then return a.worth > b.worth end
    if a.word ~= b.word then return a.word < b.word end
    return a.group < b.group
  end)
  return found
end

-- What words are worth must not change in the middle of a search, because scores of its scripts are compared.
local function pack_worths(found, norm)
  local parts = { struct.pack('>ddddI2', norm.average, norm.k1, norm.b, norm.variety, #found) }
  for n, one in ipairs(found) do parts[n + 1] = struct.pack('>I2I2d', one.word, one.group, one.worth) end
  return table.concat(parts)
end

-- Takes from the state what words were worth in the first script of the search.
local function first_worths(found, norm)
  if state == '' then return found, norm end
  local lists, first, count, at = {}, {}, nil, nil
  for _, one in ipairs(found) do lists[one.word .. ' ' .. one.group] = one.lists end
  norm = {}
  norm.average, norm.k1, norm.b, norm.variety, count, at = struct.unpack('>ddddI2', state)
  for n = 1, count do
    local word, group, worth
    word, group, worth, at = struct.unpack('>I2I2d', state, at)
    first[n] = { word = word, group = group, worth = worth, lists = lists[word .. ' ' .. group] or {} }
  end
  state = string.sub(state, at)
  return first, norm
end

local function reply_worths(found)
  local worths = {}
  for _, one in ipairs(found) do
    worths[#worths + 1] = one.word
    worths[#worths + 1] = one.group
    worths[#worths + 1] = string.format('%.17g', one.worth)
  end
  return worths
end
`;

/** What follows `REPLY.found`. */
export type FoundReply = [
  ...FoundDocumentsReply,
  /** By falling worth: a word of the query, counted from 1; 0, or the number of a group of related terms; its worth. */
  worths: (number | Buffer)[],
  /** How much the lengths of documents vary. */
  variety: Buffer,
];

/**
 * Finds what may rank first.
 *
 * ARGV, as `searchArguments` writes it: what `FIND_DOCUMENTS_LUA` reads; the languages that the query was read for; the words
 * of the query, each with its weight, its terms, what a speaker of that name is called, and its groups of related terms with
 * their weights. Lists begin with their length.
 *
 * -> a {@link REPLY}: `found` with a {@link FoundReply}, or with what `find_part` returns; `sections` or
 *    `filter` with a state; `likely` or `passing` with documents; `otherAnalysis`, `busy`, `abandoned`, `expired`, `languages`
 *    or `fields`.
 */
export const SEARCH = reading(`${FIND_DOCUMENTS_LUA}${OWN_WORTHS_LUA}
local query_languages = take()
local refused = refusal(analysis, swept)
if refused then return refused end
if documents == 0 then return { '${REPLY.found}', '', {}, {}, '0' } end
if lacks_fields(wanted_fields) then return { '${REPLY.fields}' } end
local languages = document_languages()
if languages ~= query_languages then return { '${REPLY.languages}', languages } end

read_speakers()
local found, norm = first_worths(weigh_words(), length_norm(documents, total_length, total_squares))
kept = pack_worths(found, norm)
local part = find_part(found, norm)
if part then return part end
local packed, needed = find_documents(found, norm)
if needed and needed[1] == '${REPLY.filter}' then needed[2] = kept end
if needed then return needed end
return { '${REPLY.found}', packed, speakers, reply_worths(found), string.format('%.17g', norm.variety) }
`);

/**
 * Finds what may rank first among the documents of several namespaces, which decide what words are worth.
 *
 * ARGV, as `poolArguments` writes it: what `FIND_DOCUMENTS_LUA` reads; the average, `k1` and `b` of `LengthNorm`; by falling
 * worth, the words of the query and the groups of related terms, each with its worth, '1' for a word and '' for a group, and
 * its terms. Lists begin with their length.
 *
 * -> a {@link REPLY}: `found` with a {@link FoundDocumentsReply}, or with what `find_part` returns; `sections` with a state;
 *    `likely` or `passing` with documents; `otherAnalysis`, `busy`, `abandoned`, `expired`, `fields` or `filter`.
 */
export const POOL = reading(`${FIND_DOCUMENTS_LUA}
local norm = { average = take_number(), k1 = take_number(), b = take_number() }
local refused = refusal(analysis, swept)
if refused then return refused end
if documents > 0 and lacks_fields(wanted_fields) then return { '${REPLY.fields}' } end

local found = {}
for n = 1, take_number() do
  local worth, is_word, terms = take_number(), take() == '1', take_list()
  found[n] = { worth = worth, lists = (is_word and merged_postings or joined_postings)(terms) }
end
local part = find_part(found, norm)
if part then return part end
read_speakers()
local packed, needed = find_documents(found, norm)
if needed then return needed end
return { '${REPLY.found}', packed, speakers }
`);

/**
 * Which documents pass a filter.
 *
 * ARGV: a filter as JSON, or '' for all that exist; how many to find; the documents, four bytes each.
 *
 * -> how many of the documents were looked at, and the first of those that pass
 */
export const PASSING = reading(`${NAMESPACE_KEYS_LUA}${STORED_RECORDS_LUA}${FILTER_LUA}
local rules, wanted, documents, found = read_rules(ARGV[1]) or {}, tonumber(ARGV[2]), ARGV[3], {}
local looked = 0
for at = 1, #documents, 4 do
  if #found == wanted or not may_read_more() then break end
  looked = looked + 1
  local document = struct.unpack('>I4', documents, at)
  local inline = inline_of(document)
  if inline and passes(rules, document, inline) then found[#found + 1] = document end
end
return { looked, found }
`);
