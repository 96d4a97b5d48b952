import type { JsonObject, MemoryEntry } from '@keepsake/core';
import { escapeText } from '@keepsake/internal';

/** The maximum length of a memory in a list, in characters. Reading it by its key returns all of it. */
const MAX_SHOWN = 1_000;

type Shown = Pick<MemoryEntry, 'id' | 'content' | 'metadata'>;

/** Memories for a model, one line each. Contents are escaped, so that no memory can pose as several. */
export function listText(entries: readonly Shown[]): string {
  return entries.map((entry) => `- ${entryText(entry)}`).join('\n');
}

function entryText({ content, ...rest }: Shown): string {
  const cut = content.length > MAX_SHOWN ? `${content.slice(0, MAX_SHOWN).toWellFormed()}…` : content;
  return sharedText({ ...rest, content: cut });
}

/** A whole entry on one line, escaped, with its writer. */
export function sharedText({ id, content, metadata }: Shown): string {
  return `${keyText(id ?? '')}: ${escapeText(content)}${byText(metadata)}`;
}

/** A key as a model sees it. */
export function keyText(key: string): string {
  return escapeText(key);
}

function byText(metadata: JsonObject | undefined): string {
  const by = metadata?.writtenBy;
  return typeof by === 'string' ? ` (by ${escapeText(by)})` : '';
}
