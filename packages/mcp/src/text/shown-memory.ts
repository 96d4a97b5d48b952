import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import { z } from 'zod';
import { cutAt } from './cut.ts';

/** The most that lists show of a memory, in UTF-16 units: as much as an excerpt of a search. */
const MAX_LISTED = 320;

/** A memory and which part of its content to show. */
export interface Part {
  readonly memory: Omit<ShownMemory, 'content' | 'chars'>;
  readonly text: string;
  readonly start: number;
  /** The length of the whole content, in UTF-16 units. */
  readonly length: number;
}

/** A memory in a result. */
export const SHOWN_MEMORY = z.object({
  id: z.string().describe('The id for read_memory, update_memory and forget'),
  content: z.string().describe('The text, or a part of it: see chars'),
  chars: z.string().optional().describe('If it is a part: which characters of how many, such as 120-431 of 5400'),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  speaker: z.string().optional().describe('Who said it'),
  score: z.number().optional().describe('Higher is better. Comparable only within this result'),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export type ShownMemory = z.infer<typeof SHOWN_MEMORY>;

/** A search result: the best passage of a long text. */
export function foundPart(entry: MemoryEntry): Part {
  const { id = '', content, createdAt, updatedAt, score, excerpt } = entry;
  const { text, start } = excerpt ?? beginning(content);
  const memory = { id, createdAt, updatedAt, score, metadata: metadataOf(entry), speaker: speakerOf(entry) };
  return { memory, text, start, length: content.length };
}

/** A record in a list: the beginning of a long text. */
export function listedPart(record: MemoryRecord): Part {
  return { ...recordPart(record), ...beginning(record.content) };
}

/** A record from a character on. */
export function recordPart(record: MemoryRecord, start = 0): Part {
  const { id, content, createdAt, updatedAt } = record;
  const memory = { id, createdAt, updatedAt, metadata: metadataOf(record), speaker: speakerOf(record) };
  return { memory, text: content.slice(start), start, length: content.length };
}

/** A part in the shape of {@link SHOWN_MEMORY}. */
export function shownJson({ memory, text, start, length }: Part): ShownMemory {
  const chars = text.length < length ? `${start}-${start + text.length} of ${length}` : undefined;
  return { ...memory, content: text, chars };
}

function beginning(content: string): { readonly text: string; readonly start: number } {
  return { text: cutAt(content, MAX_LISTED), start: 0 };
}

function speakerOf({ turn, source }: Pick<MemoryEntry, 'turn' | 'source'>): string | undefined {
  return turn?.speaker ?? source?.speaker;
}

/** Metadata without fields says nothing. */
function metadataOf({ metadata }: Pick<MemoryEntry, 'metadata'>): ShownMemory['metadata'] {
  return metadata === undefined || Object.keys(metadata).length === 0 ? undefined : metadata;
}
