import { MAX_SPEAKERS } from '@keepsake/search/remote';
import { reading } from '../../client/script.ts';
import { ARGUMENTS_LUA } from '../arguments.ts';
import { NAMESPACE_KEYS_LUA } from '../records/namespace-keys.ts';
import { POSTINGS_LUA } from '../records/postings.ts';
import { REPLY } from '../records/replies.ts';
import { QUERY_WORDS_LUA } from './query-words.ts';
import { SEARCH_STATS_LUA } from './search-stats.ts';
import { TERM_SHARES_LUA } from './term-shares.ts';

/** What follows `REPLY.found`. */
export type CorpusReply = [
  documents: number,
  /** The sum of their lengths, and of the squares. */
  length: number,
  squares: number,
  /** How many documents are in each of `LATIN_LANGUAGES`. */
  languages: (Buffer | null)[],
  /** Each speaker, and how many turns the speaker has. One more than MAX_SPEAKERS tells that there are too many. */
  speakers: (Buffer | number)[],
];

/**
 * The statistics of a namespace that is searched together with others.
 *
 * ARGV: the analysis of texts; 'swept' or 'not swept' if expired records need not be removed first.
 *
 * -> a {@link REPLY}: `found` with a {@link CorpusReply}; `otherAnalysis` or `expired`.
 */
export const CORPUS = reading(`${NAMESPACE_KEYS_LUA}${SEARCH_STATS_LUA}
local refused = refusal(ARGV[1], ARGV[2])
if refused then return refused end
local speakers = redis.call('HRANDFIELD', SPEAKERS, ${MAX_SPEAKERS + 1}, 'WITHVALUES')
for n = 2, #speakers, 2 do speakers[n] = cjson.decode(speakers[n])[2] end
return { '${REPLY.found}', documents, total_length, total_squares, language_counts, speakers }
`);

/**
 * How many documents have each word of a query.
 *
 * ARGV: the words, as `wordArguments` writes them.
 *
 * -> for each word a list: its count, then, for each of its groups of related terms, the total of the counts of its terms
 */
export const COUNTS = reading(`${NAMESPACE_KEYS_LUA}${ARGUMENTS_LUA}${POSTINGS_LUA}${TERM_SHARES_LUA}${QUERY_WORDS_LUA}
local counts = {}
each_word(function(word, group, _, _, size)
  if group == 0 then counts[word] = {} end
  counts[word][group + 1] = size
end)
return counts
`);
