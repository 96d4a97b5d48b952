import type { FunctionCallReplacement } from '@keepsake/core/adapter';
import type { StoredItem } from './session-changes.ts';
import { validItem } from './session-damage.ts';

/** The effect of mutations: items with new texts, and the numbers of items to remove. */
export interface ReplacedCalls {
  readonly replaced: readonly StoredItem[];
  readonly removed: readonly number[];
}

/**
 * Applies mutations in order to the items of a history that may be the calls they name.
 *
 * @throws MemoryError `CORRUPT` if one of these items is damaged.
 */
export function replaceCalls(
  items: readonly StoredItem[],
  mutations: readonly FunctionCallReplacement[],
): ReplacedCalls {
  let left = items;
  for (const { callId, replacement } of mutations) {
    const [first, ...others] = left.filter((item) => isCall(item, callId));
    left = left
      .filter((item) => !others.includes(item))
      .map((item) => (item === first ? { seq: item.seq, text: replacement } : item));
  }
  const before = new Map(items.map(({ seq, text }) => [seq, text]));
  const kept = new Set(left.map(({ seq }) => seq));
  return {
    replaced: left.filter(({ seq, text }) => before.get(seq) !== text),
    removed: items.flatMap(({ seq }) => (kept.has(seq) ? [] : seq)),
  };
}

function isCall(stored: StoredItem, callId: string): boolean {
  const item = validItem(stored) as { type?: unknown; callId?: unknown };
  return item.type === 'function_call' && item.callId === callId;
}
