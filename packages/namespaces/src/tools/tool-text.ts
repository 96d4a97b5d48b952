import type { JsonObject, MemoryEntry } from '@keepsake/core';
import { escapeText } from '@keepsake/core/adapter';

/** The maximum length of a memory in a list, in characters. Reading it by its key returns all of it. */
const MAX_SHOWN = 1_000;

/** Memories for a model, one line each. Contents are escaped, so that no memory can pose as several. */
export function listText(entries: readonly Pick<MemoryEntry, 'id' | 'content' | 'metadata'>[]): string {
  return entries.map((entry) => `- ${entryText(entry)}`).join('\n');
}

function entryText({ id, content, metadata }: Pick<MemoryEntry, 'id' | 'content' | 'metadata'>): string {
  const cut = content.length > MAX_SHOWN ? `${content.slice(0, MAX_SHOWN).toWellFormed()}…` : content;
  return `${keyText(id ?? '')}: ${escapeText(cut)}${byText(metadata)}`;
}

/** A key as a model sees it. */
export function keyText(key: string): string {
  return escapeText(key);
}

function byText(metadata: JsonObject | undefined): string {
  const by = metadata?.writtenBy;
  return typeof by === 'string' ? ` (by ${escapeText(by)})` : '';
}
