import { MemoryError } from '../errors.ts';
import { expect } from '../expect.ts';
import { type Filterable, type FilterRule, matchesFilter, parseFilter } from '../filter.ts';
import type { MemoryEntry, MemoryStore, SearchOptions } from '../memory-store.ts';
import { searchLimit, throwIfAborted } from '../store-options.ts';
import type { WeightedQuery } from './default-queries.ts';
import { reciprocalRankFusion, weightedFusion, withoutRepeats } from './fusion.ts';
import { storeNames, targetStores } from './managed-stores.ts';
import type { MemorySearchOptions } from './manager-options.ts';
import type { ReportFailure } from './report.ts';
import type { Telemetry } from './telemetry.ts';
import { startDeadline, within } from './within.ts';

/** How many entries a store gives where neither the caller nor the store says. */
const DEFAULT_LIMIT = 3;

/** What searching takes from the manager. */
export interface SearchContext {
  readonly stores: readonly MemoryStore[];
  readonly ranking: 'fused' | 'registration';
  readonly deadlineMs: number;
  readonly initialize: (store: MemoryStore) => Promise<void>;
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
 * Searches each store for several texts at once, and fuses what it finds by weight.
 *
 * @param select - What to take of the entries of each store, best first.
 */
export async function searchFor(
  context: SearchContext,
  queries: readonly WeightedQuery[],
  { stores: names, signal, ...given }: MemorySearchOptions,
  select: (entries: readonly MemoryEntry[]) => readonly MemoryEntry[] = (entries) => entries,
): Promise<MemoryEntry[]> {
  // Stores see none that is `undefined`.
  const options: SearchOptions = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // Entries don't say when they expire: that is left to the store.
  const rules = parseFilter(options.filter).filter(({ field, time }) => !time || field !== 'expiresAt');
  const { maxSearchResults: limit } = options;
  searchLimit({}, options);
  const stores = targetStores(context.stores, names);
  throwIfAborted(signal);

  const deadline = startDeadline(context.deadlineMs, signal);
  const answers = await Promise.allSettled(
    stores.map(async (store) =>
      context.span('search_memory', store.name, async (tell) => {
        tell({ query: queries.map(({ text }) => text).join('\n') });
        const searchOptions = { ...options, maxSearchResults: limit ?? store.maxSearchResults ?? DEFAULT_LIMIT };
        const answers = await within(deadline.signal, async () => {
          await context.initialize(store);
          const search = ({ text }: WeightedQuery) => store.search(text, { ...searchOptions, signal: deadline.signal });
          return Promise.all(queries.map(search));
        });
        const lists = answers.map((answer) => usableEntries(context, store, answer, rules, searchOptions));
        const usable = select(weightedFusion(lists, queries)).slice(0, searchOptions.maxSearchResults);
        tell({ count: usable.length, records: usable });
        return usable;
      }),
    ),
  ).finally(deadline.end);
  throwIfAborted(signal);

  const errors = answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled') return [];
    const { reason: error } = answer;
    context.report({ storeName: (stores[index] as MemoryStore).name, operation: 'search', error });
    return [error as unknown];
  });
  if (errors.length > 0 && errors.length === stores.length) {
    const cause = errors.length === 1 ? errors[0] : new AggregateError(errors, 'Every store failed.');
    throw new MemoryError('BACKEND', `No store could be searched: ${storeNames(stores)}. See cause.`, { cause });
  }
  const lists = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const merged = context.ranking === 'fused' ? reciprocalRankFusion(lists) : withoutRepeats(lists.flat());
  return merged.slice(0, limit);
}

/** What of an answer is memory, as the caller gets it. What is not is reported, or thrown where there is nothing else. */
function usableEntries(
  context: SearchContext,
  store: MemoryStore,
  answer: unknown,
  rules: readonly FilterRule[],
  { maxSearchResults, minScore = -Infinity }: SearchOptions,
): MemoryEntry[] {
  if (!Array.isArray(answer)) throw new MemoryError('BACKEND', 'A search is to give an array of entries.');
  const entries = answer.filter(isEntry);
  const count = answer.length - entries.length;
  if (count > 0) {
    const error = new MemoryError('BACKEND', 'An entry is to have a content, a text that is not blank.');
    if (entries.length === 0) throw error;
    context.report({ storeName: store.name, operation: 'search', error, count });
  }
  // Stores that know no filters, as those of other frameworks, give what should not pass.
  return entries
    .filter((entry) => (entry.score ?? Infinity) >= minScore)
    .filter((entry) => matchesFilter(rules, { metadata: {}, ...entry } as Filterable))
    .slice(0, maxSearchResults)
    .map((entry) => ({ ...entry, storeName: store.name }));
}

/** Whether a value is memory: a text that is not blank, and what is said of it. */
export function isEntry(value: unknown): value is MemoryEntry {
  const content = (value as Partial<MemoryEntry> | null | undefined)?.content;
  return typeof content === 'string' && content.trim() !== '';
}
