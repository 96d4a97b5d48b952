import type { FunctionCallReplacement } from '@keepsake/core';
import type { StoredItem } from './session-changes.ts';
import { soundItem } from './session-damage.ts';

/** What mutations come to: items with another text, and the numbers of those that go. */
export interface ReplacedCalls {
  readonly replaced: readonly StoredItem[];
  readonly removed: readonly number[];
}

/**
 * Applies mutations, one after another, to the items of a history that may be the calls they name, in their order.
 *
 * @throws MemoryError `CORRUPT` where one of these is damaged.
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
  const item = soundItem(stored) as { type?: unknown; callId?: unknown };
  return item.type === 'function_call' && item.callId === callId;
}
