import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { REPLY } from '../lua/records/replies.ts';
import { BEST_DOCUMENTS, PASSING_DOCUMENTS } from '../lua/search/find-documents.ts';
import { SECTION_POSTINGS } from '../lua/search/unread-postings.ts';
import { mergeScored, type ScoredDocument } from './scored-documents.ts';
import { type FindArguments, packDocuments, type RunFind, wantedSize } from './search-arguments.ts';

/**
 * Finds the best documents by words a section at a time, because one script would keep the server from serving others. Returns
 * `find` with what it found, or with the reply of a script that must know something else first.
 */
export async function findInSections(
  find: FindArguments,
  run: RunFind,
  { signal }: RecordSearch,
): Promise<FindArguments | { readonly needed: string }> {
  const limit = wantedSize(find);
  let [best, passing]: [ScoredDocument[], ScoredDocument[] | undefined] = [[], undefined];
  for (let [first, count] = [0, 0]; ; ) {
    // With a filter, the documents that pass decide, because their scores are lower.
    const least = (passing ?? best)[limit - 1]?.score ?? 0;
    const section = `${first} ${count} ${least}`;
    const [reply, next, work, inSection, passingInSection] = await run({
      ...find,
      best: [BEST_DOCUMENTS.section, section],
    });
    throwIfAborted(signal);
    if (reply !== REPLY.found) return { needed: reply };
    if (count > 0 && Number(next) === first) {
      // It turned out to be too large: the script chooses the size itself.
      count = 0;
      continue;
    }
    best = mergeScored(best, inSection as Buffer, limit);
    if (passingInSection !== null) passing = mergeScored(passing ?? [], passingInSection as Buffer, limit);
    if (Number(next) === 0) break;
    count = nextCount(Number(next) - first, Number(work));
    first = Number(next);
  }
  const packed = (list: readonly ScoredDocument[]) => packDocuments(list.map(({ document }) => document));
  return {
    ...find,
    best: [BEST_DOCUMENTS.known, packed(best)],
    ...(passing === undefined ? {} : { passing: [PASSING_DOCUMENTS.known, packed(passing)] as const }),
  };
}

/** The next section grows to at most this many times as many documents. */
const GROWTH = 2;

/**
 * How many documents the next section should have, so that it takes as long as planned: once good documents are known, few
 * postings matter.
 */
function nextCount(count: number, work: number): number {
  return Math.ceil(count * Math.min(GROWTH, SECTION_POSTINGS / Math.max(1, work)));
}
