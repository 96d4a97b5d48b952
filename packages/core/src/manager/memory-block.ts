import type { MemoryEntry } from '../memory-store.ts';
import { escapeAttribute, escapeText } from './escape.ts';
import { estimateTokens } from './tokens.ts';

/** How a block begins. */
export const START = '<memory>\n';
const END = '</memory>';

/** What of some entries is injected. */
export interface MemoryBlock {
  readonly entries: readonly MemoryEntry[];
  readonly text: string;
}

/**
 * Entries as one block of markup, a line each, of no more than so many tokens: an entry that doesn't fit is left out, the
 * next may fit. Whatever an entry says, it stays one entry of the block.
 *
 * ```text
 * <memory>
 * <entry source="personal" date="2026-11-03">Prefers aisle seats</entry>
 * </memory>
 * ```
 */
export function memoryBlock(found: readonly MemoryEntry[], maxTokens: number): MemoryBlock {
  let left = maxTokens - estimateTokens(START + END);
  const entries: MemoryEntry[] = [];
  let text = START;
  for (const entry of found) {
    const line = entryLine(entry);
    const tokens = estimateTokens(line);
    if (tokens > left) continue;
    left -= tokens;
    entries.push(entry);
    text += line;
  }
  return { entries, text: text + END };
}

/** What was said is of the day on which it was said, though it may have been imported since; a fact, of its last change. */
function entryLine({ content, storeName, createdAt, updatedAt, turn }: MemoryEntry): string {
  const source = storeName === undefined ? '' : ` source="${escapeAttribute(storeName)}"`;
  const [date] = /^\d{4}-\d\d-\d\d/.exec((turn === undefined ? updatedAt : undefined) ?? createdAt ?? '') ?? [];
  return `<entry${source}${date ? ` date="${date}"` : ''}>${escapeText(content)}</entry>\n`;
}
