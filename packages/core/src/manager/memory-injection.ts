import { MemoryError } from '../errors.ts';
import type { MemoryEntry } from '../memory-store.ts';
import { defaultQuery } from './default-query.ts';
import type { ContextInjectorOptions } from './injector.ts';
import type { InjectionConfig } from './manager-options.ts';
import { memoryBlock } from './memory-block.ts';
import type { ReportFailure } from './report.ts';
import { type SearchContext, searchStores } from './search.ts';

/**
 * Renders what memory knows of a conversation, for an injector.
 *
 * @param recalled - Hears of each text that was rendered, and of what is in it.
 */
export function memoryRenderer(
  { query = ({ messages }) => defaultQuery(messages), format, ...config }: InjectionConfig,
  context: SearchContext,
  recalled: (text: string, entries: readonly MemoryEntry[]) => void,
): ContextInjectorOptions['render'] {
  const { maxEntries = 5, maxTokens = 1_000, minScore } = config;
  return async (injection) => {
    const startedAt = performance.now();
    const asked = (await query(injection)) ?? '';
    if (asked.trim() === '') return undefined;
    // Stores are given up before the whole is, so that one that hangs doesn't cost what others found.
    const left = context.deadlineMs - (performance.now() - startedAt);
    const deadlineMs = Math.max(1, Math.round(left * 0.75));
    let hasFailed = false;
    const report: ReportFailure = (failure) => {
      hasFailed = true;
      context.report(failure);
    };
    const found = await searchStores({ ...context, deadlineMs, report }, asked, {
      maxSearchResults: maxEntries,
      ...(minScore !== undefined && { minScore }),
      signal: injection.signal,
    });
    const { entries, text: block } = memoryBlock(found, maxTokens);
    // Nothing would be right for the whole turn only if every store had been asked.
    if (entries.length === 0 && hasFailed) throw new MemoryError('BACKEND', 'A store failed, the others know nothing.');
    if (entries.length === 0) return undefined;
    const text = format ? await format({ entries }) : block;
    recalled(text, entries);
    return text;
  };
}
