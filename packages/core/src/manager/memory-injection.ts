import { MemoryError } from '../errors.ts';
import type { MemoryEntry } from '../memory-store.ts';
import { defaultQueries } from './default-queries.ts';
import type { ContextInjectorOptions } from './injector.ts';
import type { InjectionConfig } from './manager-options.ts';
import { memoryBlock } from './memory-block.ts';
import { informative, relevant } from './relevance.ts';
import type { ReportFailure } from './report.ts';
import { type SearchContext, searchFor } from './search.ts';

/** By default. Short entries fill 1,000 tokens before there are as many. */
const MAX_ENTRIES = 50;

/**
 * Renders what memory knows of a conversation, for an injector.
 *
 * @param recalled - Hears of each text that was rendered, and of what is in it.
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
    // Stores are given up before the whole is, so that one that hangs doesn't cost what others found.
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
    // Nothing would be right for the whole turn only if every store had been asked.
    if (entries.length === 0 && hasFailed) throw new MemoryError('BACKEND', 'A store failed, the others know nothing.');
    if (entries.length === 0) return undefined;
    const text = format ? await format({ entries }) : block;
    recalled(text, entries);
    return text;
  };
}
