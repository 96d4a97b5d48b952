import { MemoryError } from '../../common/errors.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import type { InjectionConfig } from '../options/manager-options.ts';
import type { ReportFailure } from '../search/report.ts';
import { type SearchContext, searchFor } from '../search/search.ts';
import { defaultQueries } from './default-queries.ts';
import type { ContextInjectorOptions } from './injector-options.ts';
import { memoryBlock } from './memory-block.ts';
import { informative, relevant } from './relevance.ts';

/** The default. Short entries fill 1,000 tokens before there are this many. */
const MAX_ENTRIES = 50;

/**
 * Renders the memories for a conversation, for an injector.
 *
 * @param recalled - Called with each rendered text and its entries.
 */
export function memoryRenderer(
  { query, format, ...config }: InjectionConfig,
  context: SearchContext,
  recalled: (text: string, entries: readonly MemoryEntry[]) => void,
): ContextInjectorOptions['render'] {
  const { maxEntries = MAX_ENTRIES, maxTokens = 1_000, minScore } = config;
  return async (injection) => {
    const startedAt = performance.now();
    const { messages, signal } = injection;
    const queries = query ? [{ text: (await query(injection)) ?? '', weight: 1 }] : defaultQueries(messages);
    if (queries.every(({ text }) => text.trim() === '')) return undefined;
    // Stores have a shorter deadline than the whole, so that a hanging store does not lose the results of others.
    const left = context.deadlineMs - (performance.now() - startedAt);
    const deadlineMs = Math.max(1, Math.round(left * 0.75));
    let hasFailed = false;
    const report: ReportFailure = (failure) => {
      hasFailed = true;
      context.report(failure);
    };
    const options = { maxSearchResults: maxEntries, ...(minScore !== undefined && { minScore }), signal };
    const found = await searchFor({ ...context, deadlineMs, report }, queries, options, (entries) =>
      relevant(informative(entries, messages)),
    );
    const asked = queries.map(({ text }) => text).join('\n');
    const { entries, text: block } = memoryBlock(found, maxTokens, asked);
    // Only if every store answered, "nothing" is right for the whole turn.
    if (entries.length === 0 && hasFailed)
      throw new MemoryError('BACKEND', 'A store failed, and the others found nothing.');
    if (entries.length === 0) return undefined;
    const text = format ? await format({ entries }) : block;
    recalled(text, entries);
    return text;
  };
}
