import type { MemoryEntry } from '../memory-store.ts';
import { escapeAttribute, escapeText } from './escape.ts';
import { estimateTokens } from './tokens.ts';

const START = '<memory>\n';
const END = '</memory>';

/**
 * The entries as one block of markup, a line each. Whatever an entry says, it stays one entry of the block.
 *
 * ```text
 * <memory>
 * <entry source="personal" date="2026-11-03">Prefers aisle seats</entry>
 * </memory>
 * ```
 */
export function memoryBlock({ entries }: { readonly entries: readonly MemoryEntry[] }): string {
  return `${START}${entries.map(entryLine).join('')}${END}`;
}

/** The entries of which a block takes no more than so many tokens. What doesn't fit is left out, the next may fit. */
export function fitting(entries: readonly MemoryEntry[], maxTokens: number): MemoryEntry[] {
  let left = maxTokens - estimateTokens(START + END);
  return entries.filter((entry) => {
    const tokens = estimateTokens(entryLine(entry));
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** What was said is of the day on which it was said, though it may have been imported since; a fact, of its last change. */
function entryLine({ content, storeName, createdAt, updatedAt, turn }: MemoryEntry): string {
  const source = storeName === undefined ? '' : ` source="${escapeAttribute(storeName)}"`;
  const [date] = /^\d{4}-\d\d-\d\d/.exec((turn === undefined ? updatedAt : undefined) ?? createdAt ?? '') ?? [];
  return `<entry${source}${date ? ` date="${date}"` : ''}>${escapeText(content)}</entry>\n`;
}
