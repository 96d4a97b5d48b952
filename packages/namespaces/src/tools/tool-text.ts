import { escapeText, type JsonObject, type MemoryEntry } from '@keepsake/core';

/** So much of a memory is shown in a list, in characters; all of it is read by its key. */
const MAX_SHOWN = 1_000;

/** Memories for a model to read, a line each: whatever one says, it stays one. */
export function listText(entries: readonly Pick<MemoryEntry, 'id' | 'content' | 'metadata'>[]): string {
  return entries.map((entry) => `- ${entryText(entry)}`).join('\n');
}

function entryText({ id, content, metadata }: Pick<MemoryEntry, 'id' | 'content' | 'metadata'>): string {
  const cut = content.length > MAX_SHOWN ? `${content.slice(0, MAX_SHOWN).toWellFormed()}…` : content;
  return `${keyText(id ?? '')}: ${escapeText(cut)}${byText(metadata)}`;
}

/** A key as it is shown to a model. */
export function keyText(key: string): string {
  return escapeText(key);
}

function byText(metadata: JsonObject | undefined): string {
  const by = metadata?.writtenBy;
  return typeof by === 'string' ? ` (by ${escapeText(by)})` : '';
}
