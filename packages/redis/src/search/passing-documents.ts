import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import type { RemoteWord } from '@keepsake/search/remote';
import { POSTING } from '../lua/records/postings.ts';
import { CANDIDATES } from '../lua/search/candidates.ts';
import { PASSING } from '../lua/search/search.ts';
import { writeRules } from '../stores/filter-rules.ts';
import type { Records } from '../stores/records.ts';
import { packDocuments } from './search-arguments.ts';

/** How many documents one script filters, at most. It stops earlier if their metadata is long. */
const FILTER_STEP = 2_000;

/**
 * The documents that hold a word of the query and pass the filter; see {@link packDocuments}. In steps, because few may pass:
 * the server serves others in between, and the search can be aborted.
 */
export async function readPassing(
  records: Records,
  { rules, signal }: RecordSearch,
  words: readonly RemoteWord[],
): Promise<Buffer> {
  const candidates = await readCandidates(records, words, signal);
  const filter = writeRules(rules);
  return packDocuments(await filterDocuments(records, filter, candidates, Number.MAX_SAFE_INTEGER, signal));
}

/** The first of the documents that pass a filter, at most `limit`. */
export async function filterDocuments(
  records: Records,
  filter: string,
  documents: readonly number[],
  limit: number,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const passing: number[] = [];
  for (let from = 0; from < documents.length && passing.length < limit; ) {
    const step = packDocuments(documents.slice(from, from + FILTER_STEP));
    const [looked, found] = await records.run(PASSING, [filter, limit - passing.length, step]);
    throwIfAborted(signal);
    passing.push(...(found as number[]));
    from += Number(looked);
  }
  return passing;
}

async function readCandidates(
  records: Records,
  words: readonly RemoteWord[],
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const terms = new Set(words.flatMap(({ terms, related }) => [...terms, ...related.flatMap(({ terms }) => terms)]));
  const documents = new Set<number>();
  for (let [term, field] = [1, 0]; term > 0; ) {
    const [nextTerm, nextField, ...texts] = await records.run(CANDIDATES, [term, field, terms.size, ...terms]);
    throwIfAborted(signal);
    for (const text of texts as Buffer[]) {
      for (let at = 0; at < text.length; at += POSTING.size) documents.add(text.readUInt32BE(at));
    }
    [term, field] = [Number(nextTerm), Number(nextField)];
  }
  return [...documents].sort((a, b) => b - a);
}
