import { LATIN_LANGUAGES } from '@keepsake/search';
import { LANGUAGE_STAT, STAT } from '../records/index-stats.ts';
import { REPLY } from '../records/replies.ts';

const FIELDS = [
  ...[STAT.documents, STAT.length, STAT.squares, STAT.analysis, STAT.staged],
  ...LATIN_LANGUAGES.map((language) => LANGUAGE_STAT + language),
];

/**
 * Lua: what a search needs of a namespace as a whole. Needs `NAMESPACE_KEYS_LUA`. Reads `STATS` and `EXPIRY`.
 *
 * - `documents`, `total_length` and `total_squares` are the number of the documents, the sum of their lengths and the sum of
 *   the squares. `language_counts` has the number of documents in each of `LATIN_LANGUAGES`, false for none.
 * - `holds_expired` tells whether expired records are there.
 * - `refusal(analysis, swept)` returns the reply `otherAnalysis`, `busy` or `abandoned`, or `expired` unless `swept` says that somebody has tried to
 *   remove expired records; nil if the search may go on.
 */
export const SEARCH_STATS_LUA = `
local stats = redis.call('HMGET', STATS, ${FIELDS.map((field) => `'${field}'`).join(', ')})
local documents, total_length, total_squares = tonumber(stats[1] or 0), tonumber(stats[2] or 0), tonumber(stats[3] or 0)
local stored_analysis, staged_entry, language_counts = stats[4], stats[5], { unpack(stats, 6) }
local holds_expired = redis.call('ZCOUNT', EXPIRY, '-inf', now) > 0

local function refusal(analysis, swept)
  if stored_analysis and stored_analysis ~= analysis then return { '${REPLY.otherAnalysis}', stored_analysis } end
  -- The index does not have all of a batch that is committed.
  local until_ms = string.match(staged_entry or '', '^%S+ committed .* (%d+)$')
  if until_ms then return { tonumber(until_ms) >= now and '${REPLY.busy}' or '${REPLY.abandoned}' } end
  if holds_expired and swept == '' then return { '${REPLY.expired}' } end
end
`;
