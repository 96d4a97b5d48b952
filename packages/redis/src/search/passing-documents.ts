import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import type { RemoteWord } from '@keepsake/search/remote';
import { POSTING } from '../lua/records/postings.ts';
import { REPLY } from '../lua/records/replies.ts';
import { CANDIDATES, REQUIRED_VALUE } from '../lua/search/candidates.ts';
import { FEW_DOCUMENTS, PASSING_DOCUMENTS } from '../lua/search/find-documents.ts';
import { PASSING } from '../lua/search/search.ts';
import { tryIndexing } from '../stores/field-index.ts';
import { writeRules } from '../stores/filter-rules.ts';
import type { Records } from '../stores/records.ts';
import { mergeScored, type ScoredDocument } from './scored-documents.ts';
import {
  type FindArguments,
  PASSING_UNKNOWN,
  type Passing,
  packDocuments,
  passingKnown,
  type RunFind,
  unpackDocuments,
  wantedSize,
} from './search-arguments.ts';
import type { Likely } from './search-reply.ts';

/** How many documents one script filters, at most. It stops earlier if their metadata is long. */
const FILTER_STEP = 1_000;

/**
 * The documents that pass the filter and may rank first. In steps, because few may pass: the server serves others in between,
 * and the search can be aborted. Nothing is known afterwards if the script did not find them, but had another reply.
 */
export async function readPassing(
  records: Records,
  { rules, signal }: RecordSearch,
  { find, words }: { readonly find: FindArguments; readonly words: readonly RemoteWord[] },
  run: RunFind,
): Promise<Passing> {
  const value = await requiredValue(records, { rules, signal }, find.fields);
  // Some of the documents with a value may not pass, but then no script finds them.
  const passing =
    value === undefined
      ? await filterDocuments(
          records,
          writeRules(rules),
          await holdersOf(records, termsOf(words), signal),
          Infinity,
          signal,
        )
      : await holdersOf(records, [value], signal);
  const best = passing.length <= FEW_DOCUMENTS ? passing : await bestOf(passing, find, run, signal);
  return best === undefined ? PASSING_UNKNOWN : passingKnown(packDocuments(best));
}

/** Those of the best documents that pass the filter; `undefined` if there may be others that are needed. */
export async function filterLikely(
  records: Records,
  { rules, signal }: RecordSearch,
  find: FindArguments,
  [documents, areAll]: Likely,
): Promise<Passing | undefined> {
  const wanted = wantedSize(find);
  const passing = await filterDocuments(records, writeRules(rules), unpackDocuments(documents), wanted, signal);
  return passing.length === wanted || areAll === 1 ? passingKnown(packDocuments(passing)) : undefined;
}

/** The documents with an indexed value that the filter requires, newest first; `undefined` if it requires none. */
export async function documentsWithValue(
  records: Records,
  search: Pick<RecordSearch, 'rules' | 'signal'>,
  fields: string,
): Promise<number[] | undefined> {
  const value = await requiredValue(records, search, fields);
  return value && holdersOf(records, [value], search.signal);
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
    const wanted = Math.min(limit - passing.length, FILTER_STEP);
    const [looked, found] = await records.run(PASSING, [filter, wanted, step]);
    throwIfAborted(signal);
    passing.push(...(found as number[]));
    from += Number(looked);
  }
  return passing;
}

/** The term of the value that the fewest documents have, of the indexed ones that the filter requires. */
async function requiredValue(
  records: Records,
  { rules, signal }: Pick<RecordSearch, 'rules' | 'signal'>,
  fields: string,
): Promise<Buffer | undefined> {
  if (rules.length === 0) return undefined;
  for (let wanted = fields; ; wanted = await tryIndexing(records, wanted, signal)) {
    const [reply, value] = await records.run(REQUIRED_VALUE, [writeRules(rules), wanted]);
    throwIfAborted(signal);
    if (String(reply) === REPLY.found) return (value as Buffer | null | undefined) ?? undefined;
  }
}

/** The best of many documents, a step at a time; `undefined` if the script had another reply. */
async function bestOf(
  documents: readonly number[],
  find: FindArguments,
  run: RunFind,
  signal: AbortSignal | undefined,
): Promise<number[] | undefined> {
  const inOrder = documents.toSorted((a, b) => a - b);
  let best: ScoredDocument[] = [];
  for (let from = 0; from < inOrder.length; ) {
    const step = packDocuments(inOrder.slice(from, from + FEW_DOCUMENTS));
    const [reply, looked, scored] = await run({ ...find, passing: [PASSING_DOCUMENTS.some, step] });
    throwIfAborted(signal);
    // Nothing is looked at if the namespace is empty now.
    if (reply !== REPLY.found || Number(looked) === 0) return undefined;
    from += Number(looked);
    best = mergeScored(best, scored as Buffer, wantedSize(find));
  }
  return best.map(({ document }) => document);
}

function termsOf(words: readonly RemoteWord[]): string[] {
  return [...new Set(words.flatMap(({ terms, related }) => [...terms, ...related.flatMap(({ terms }) => terms)]))];
}

/** The documents that hold any of the terms, newest first. */
async function holdersOf(
  records: Records,
  terms: readonly (string | Buffer)[],
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const documents = new Set<number>();
  for (let [term, field] = [1, 0]; term > 0; ) {
    const [nextTerm, nextField, ...texts] = await records.run(CANDIDATES, [term, field, terms.length, ...terms]);
    throwIfAborted(signal);
    for (const text of texts as Buffer[]) {
      for (let at = 0; at < text.length; at += POSTING.size) documents.add(text.readUInt32BE(at));
    }
    [term, field] = [Number(nextTerm), Number(nextField)];
  }
  return [...documents].sort((a, b) => b - a);
}
