import type { Excerpt } from '../best-passage.ts';
import type { MemoryEntry } from '../memory-store.ts';
import { escapeAttribute, escapeText } from './escape.ts';
import { isPart, shortened, shownPart } from './shown-part.ts';
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
 * Entries as one block of markup, a line each, of no more than `maxTokens` tokens. Long entries come as the passage that
 * fits the query best, with their id and which characters are shown. The first entry that does not fit is shortened to
 * what is left. Whatever an entry says, it stays one entry of the block.
 *
 * ```text
 * <memory>
 * <entry source="personal" date="2026-11-03">Prefers aisle seats</entry>
 * <entry source="notes" id="7f3a" chars="120-431 of 5400">The flight leaves from gate …</entry>
 * </memory>
 * ```
 */
export function memoryBlock(found: readonly MemoryEntry[], maxTokens: number, query = ''): MemoryBlock {
  let left = maxTokens - estimateTokens(START + END);
  const entries: MemoryEntry[] = [];
  let text = START;
  for (const entry of found) {
    const part = shownPart(entry, query);
    const fitting = shortened(part, left, (part) => estimateTokens(entryLine(entry, part)));
    if (fitting === undefined) continue;
    const line = entryLine(entry, fitting);
    left -= estimateTokens(line);
    entries.push(entry);
    text += line;
  }
  return { entries, text: text + END };
}

/** What was said is of the day on which it was said, though it may have been imported since; a fact, of its last change. */
function entryLine(entry: MemoryEntry, part: Excerpt): string {
  const { id, content, storeName, createdAt, updatedAt, turn } = entry;
  const source = storeName === undefined ? '' : ` source="${escapeAttribute(storeName)}"`;
  const [date] = /^\d{4}-\d\d-\d\d/.exec((turn === undefined ? updatedAt : undefined) ?? createdAt ?? '') ?? [];
  const which = id === undefined ? '' : ` id="${escapeAttribute(id)}"`;
  const shown = isPart(entry, part) ? `${which} chars="${part.start}-${part.end} of ${content.length}"` : '';
  return `<entry${source}${date ? ` date="${date}"` : ''}${shown}>${escapeText(part.text)}</entry>\n`;
}
