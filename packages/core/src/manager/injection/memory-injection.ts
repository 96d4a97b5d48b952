import { estimateTokens } from '@keepsake/internal';
import { MemoryError } from '../../common/errors.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import type { InjectionConfig } from '../options/manager-options.ts';
import type { ReportFailure } from '../search/report.ts';
import { type SearchContext, searchFor } from '../search/search.ts';
import { defaultQueries } from './default-queries.ts';
import type { Forgotten } from './forgotten.ts';
import type { InjectorSettings } from './injector.ts';
import { memoryBlock } from './memory-block.ts';
import { isFromUser, isOf, relevant } from './relevance.ts';
import { textHash } from './text-hash.ts';
import type { Turn } from './turn.ts';

/** The default. Short entries fill 1,000 tokens before there are this many. */
const MAX_ENTRIES = 50;
/** How many more entries to find at most, because some may be left out, and how many in all, which is a limit of some services. */
const MORE_ENTRIES = 50;
const MAX_FOUND = 100;
/** How many of them at most because they may be restatements. */
const RESTATED_ENTRIES = 25;

/** The conversation to inject into. */
export interface InjectedConversation {
  readonly id: string;
  /** Called with each rendered text and its entries. */
  recalled(text: string, entries: readonly MemoryEntry[]): void;
}

/** Renders the memories for a conversation that earlier texts do not show, for an injector. */
export function memoryRenderer(
  { query, format, trust, ...config }: InjectionConfig,
  context: SearchContext,
  { id, recalled }: InjectedConversation,
  forgotten: Forgotten,
): InjectorSettings['render'] {
  const { maxEntries = MAX_ENTRIES, maxTokens = 1_000, maxConversationTokens = 4_000, minScore } = config;
  const maxKept = Math.min(maxConversationTokens / 2, maxConversationTokens - maxTokens);

  /** The entries that earlier turns do not show. */
  async function rendered(
    foundEntries: readonly MemoryEntry[],
    asked: string,
    earlier: readonly Turn[],
  ): Promise<Rendered | undefined> {
    const shownHashes = new Set(shownIn(earlier));
    const isShown = (text: string) => shownHashes.size > 0 && shownHashes.has(textHash(text));
    const { entries, shown, text } = memoryBlock(foundEntries, maxTokens, asked, { isShown, maxEntries });
    if (entries.length === 0) return undefined;
    return { entries, shown, text: format ? await format({ entries }) : text };
  }

  return async (injection, { earlier, historyOnServer }) => {
    const startedAt = performance.now();
    const { now } = forgotten;
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
    const leavesOut = trust !== undefined || historyOnServer;
    const more = leavesOut
      ? MORE_ENTRIES
      : Math.min(Math.min(maxEntries, RESTATED_ENTRIES) + shownIn(earlier).length, MORE_ENTRIES);
    const limit = Math.max(maxEntries, Math.min(maxEntries + more, MAX_FOUND));
    const options = { maxSearchResults: limit, ...(minScore !== undefined && { minScore }), signal };
    const foundEntries = await searchFor({ ...context, deadlineMs, report }, queries, options, (entries) => {
      const trusted = trust === undefined ? entries : entries.filter(isFromUser);
      const unseen = historyOnServer ? trusted.filter((entry) => !isOf(entry, id)) : trusted;
      return relevant(unseen, messages, id);
    });
    // Only if every store answered, "nothing" is right for the whole turn.
    if (foundEntries.length === 0 && hasFailed)
      throw new MemoryError('BACKEND', 'A store failed, and the others found nothing.');

    const asked = queries.map(({ text }) => text).join('\n');
    let block = await rendered(foundEntries, asked, earlier);
    if (block && tokensOf(earlier) + estimateTokens(block.text) > maxConversationTokens) {
      dropOldest(earlier, maxKept);
      // It may repeat what only the dropped texts showed.
      block = await rendered(foundEntries, asked, earlier);
    }
    if (block === undefined) return undefined;
    const { entries, text } = block;
    recalled(text, entries);
    // Hashes, because a conversation keeps them, and a text can be a part of a large one.
    const shown = block.shown.map(textHash);
    const ids = entries.flatMap(({ id }) => id ?? []);
    return { text, shown, isStale: () => forgotten.since(now, ids) };
  };
}

/** A text, its entries, and what it shows of each. */
interface Rendered {
  readonly text: string;
  readonly entries: readonly MemoryEntry[];
  readonly shown: readonly string[];
}

function shownIn(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ injected }) => injected?.shown ?? []);
}

function tokensOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { injected }) => sum + (injected ? estimateTokens(injected.text) : 0), 0);
}

/** Removes the oldest texts in one step, because each removal invalidates the model's prompt cache. */
function dropOldest(turns: readonly Turn[], maxTokens: number): void {
  let left = maxTokens;
  for (const turn of turns.toReversed()) {
    left -= turn.injected ? estimateTokens(turn.injected.text) : 0;
    if (left < 0) turn.injected = undefined;
  }
}
