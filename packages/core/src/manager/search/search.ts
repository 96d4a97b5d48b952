import { reciprocalRankFusion, untilAborted, withoutRepeats, withoutUndefined } from '@keepsake/internal';
import { startDeadline } from '../../common/deadline.ts';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import { copyFilter, type Filterable, type FilterRule, matchesFilter, parseFilter } from '../../store/filter.ts';
import type { MemoryEntry, MemoryStore, SearchOptions } from '../../store/memory-store.ts';
import { searchLimit, throwIfAborted } from '../../store/store-options.ts';
import type { WeightedQuery } from '../injection/default-queries.ts';
import { storeNames, targetStores } from '../options/managed-stores.ts';
import type { MemorySearchOptions } from '../options/manager-options.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ReportFailure, StoreFailure } from './report.ts';
import type { Telemetry } from './telemetry.ts';
import { weightedFusion } from './weighted-fusion.ts';

/** The default number of entries per store. */
const DEFAULT_LIMIT = 3;

/** What a search needs from the manager. */
export interface SearchContext {
  readonly stores: readonly MemoryStore[];
  readonly ranking: 'fused' | 'registration';
  readonly deadlineMs: number;
  readonly initialize: (store: MemoryStore) => Promise<void>;
  /** Can be replaced by that of another manager over the same stores. */
  breakerOf: (storeName: string) => CircuitBreaker;
  readonly report: ReportFailure;
  readonly span: Telemetry;
}

/** See `MemoryManager.search`. */
export async function searchStores(
  context: SearchContext,
  query: string,
  options: MemorySearchOptions = {},
): Promise<MemoryEntry[]> {
  expect(typeof query === 'string', '`query` must be a string.');
  return searchFor(context, [{ text: query, weight: 1 }], options);
}

/**
 * Searches each store for several queries at once, and merges the results by weight.
 *
 * @param select - Selects from the entries of each store, best first.
 */
export async function searchFor(
  context: SearchContext,
  queries: readonly WeightedQuery[],
  { stores: names, signal, ...callOptions }: MemorySearchOptions,
  select: (entries: readonly MemoryEntry[]) => readonly MemoryEntry[] = (entries) => entries,
): Promise<MemoryEntry[]> {
  // Stores never get an `undefined` field.
  const options: SearchOptions = withoutUndefined({ ...callOptions, filter: copyFilter(callOptions.filter) });
  // Entries have no expiry time, so the store checks it.
  const rules = parseFilter(options.filter).filter(({ part, field }) => part !== 'time' || field !== 'expiresAt');
  const { maxSearchResults: limit } = options;
  searchLimit({}, options);
  const stores = targetStores(context.stores, names);
  throwIfAborted(signal);

  const deadline = startDeadline(context.deadlineMs, signal);
  const searchOne = async (store: MemoryStore) =>
    context.span('search_memory', store.name, async (tell) => {
      tell({ query: queries.map(({ text }) => text).join('\n') });
      const searchOptions = { ...options, maxSearchResults: limit ?? store.maxSearchResults ?? DEFAULT_LIMIT };
      const answers = await untilAborted(deadline.signal, async () => {
        await context.initialize(store);
        const search = ({ text }: WeightedQuery) => store.search(text, { ...searchOptions, signal: deadline.signal });
        return Promise.all(queries.map(search));
      });
      const lists = answers.map((answer) => usableEntries(context, store, answer, rules, searchOptions));
      const usable = select(weightedFusion(lists, queries)).slice(0, searchOptions.maxSearchResults);
      tell({ count: usable.length, records: usable });
      return usable;
    });
  const answers = await Promise.all(
    stores.map(async (store): Promise<Answer> => {
      const end = context.breakerOf(store.name).begin();
      if (end === undefined) return { store, entries: [], isMissing: true };
      try {
        const entries = await searchOne(store);
        end('answered');
        return { store, entries };
      } catch (error) {
        const isTimeout = isMemoryError(error, 'TIMEOUT');
        const skippedForMs = end(signal?.aborted ? 'aborted' : isTimeout ? 'timeout' : 'answered');
        return { store, entries: [], isMissing: true, failure: { error, ...(skippedForMs && { skippedForMs }) } };
      }
    }),
  ).finally(deadline.end);
  throwIfAborted(signal);

  for (const { store, failure } of answers) {
    if (failure) context.report({ storeName: store.name, operation: 'search', ...failure });
  }
  if (answers.length > 0 && answers.every(({ isMissing }) => isMissing)) throw noneAnswered(answers);
  const lists = answers.map(({ entries }) => entries);
  const merged = context.ranking === 'fused' ? reciprocalRankFusion(lists) : withoutRepeats(lists.flat());
  return merged.slice(0, limit);
}

/** What a search has of a store. */
interface Answer {
  readonly store: MemoryStore;
  readonly entries: readonly MemoryEntry[];
  /** Whether the store failed or was skipped. */
  readonly isMissing?: boolean;
  readonly failure?: Pick<StoreFailure, 'error' | 'skippedForMs'>;
}

function noneAnswered(answers: readonly Answer[]): MemoryError {
  const errors = answers.flatMap(({ failure }) => (failure === undefined ? [] : [failure.error]));
  const skipped = answers.filter(({ failure }) => failure === undefined).map(({ store }) => store);
  const cause = errors.length === 1 ? errors[0] : new AggregateError(errors, 'Every store failed.');
  const parts = [
    `No store could be searched: ${storeNames(answers.map(({ store }) => store))}.`,
    ...(skipped.length > 0 ? [`Skipped for a while after repeated timeouts: ${storeNames(skipped)}.`] : []),
    ...(errors.length > 0 ? ['See cause.'] : []),
  ];
  return new MemoryError('BACKEND', parts.join(' '), errors.length > 0 ? { cause } : {});
}

/** The valid entries of a store's answer. Invalid ones are reported, or thrown if there are no others. */
function usableEntries(
  context: SearchContext,
  store: MemoryStore,
  answer: unknown,
  rules: readonly FilterRule[],
  { maxSearchResults, minScore = -Infinity }: SearchOptions,
): MemoryEntry[] {
  if (!Array.isArray(answer)) throw new MemoryError('BACKEND', 'search() must return an array of entries.');
  const entries = answer.filter(isEntry);
  const count = answer.length - entries.length;
  if (count > 0) {
    const error = new MemoryError('BACKEND', 'An entry must have a `content` that is not blank.');
    if (entries.length === 0) throw error;
    context.report({ storeName: store.name, operation: 'search', error, count });
  }
  // Stores without filters, as in other frameworks, return entries that don't pass.
  return entries
    .map((entry) => usableEntry(entry, store.name))
    .filter((entry) => (entry.score ?? Infinity) >= minScore)
    .filter((entry) => rules.length === 0 || matchesFilter(rules, { metadata: {}, ...entry } as Filterable))
    .slice(0, maxSearchResults);
}

/** A copy without what only looks like a score or an excerpt. */
function usableEntry({ score, excerpt, ...entry }: MemoryEntry, storeName: string): MemoryEntry {
  const { text, start, end } = excerpt ?? {};
  const isExcerpt = typeof text === 'string' && typeof start === 'number' && typeof end === 'number';
  return {
    ...entry,
    ...(Number.isFinite(score) && { score }),
    ...(isExcerpt && { excerpt: { text, start, end } }),
    storeName,
  };
}

/** Whether a value is a valid entry. */
export function isEntry(value: unknown): value is MemoryEntry {
  const content = (value as Partial<MemoryEntry> | null | undefined)?.content;
  return typeof content === 'string' && content.trim() !== '';
}
