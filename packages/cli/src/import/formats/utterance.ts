import type { JsonObject } from '@keepsake/core';
import { digest } from '@keepsake/internal/node';
import type { FoundEntry } from '../found-entry.ts';

/** One message of a conversation. */
export interface Utterance {
  /** A permanent identifier of the conversation. */
  readonly conversation: string;
  /**
   * A permanent identifier of the utterance within the conversation. The record's id is derived from both identifiers, so
   * importing again adds no duplicates.
   */
  readonly key: string | readonly unknown[];
  /** The position in the thread. */
  readonly index: number;
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601. @default The time of the import. */
  readonly createdAt?: string | undefined;
  readonly metadata: JsonObject;
  /** The thread of the turn. @default The conversation. */
  readonly thread?: string;
}

/** Converts an utterance to a record; blank text is skipped. */
export function toFoundEntry(utterance: Utterance, place: string): FoundEntry {
  const { conversation, key, index, speaker, text, createdAt, metadata, thread = conversation } = utterance;
  if (text.trim() === '') return { place, skipped: 'blank' };
  const record = {
    id: `import-${digestOf([conversation, key])}`,
    content: text,
    metadata,
    turn: { thread, index, speaker },
    ...(createdAt === undefined ? {} : { createdAt }),
  };
  return { place, record };
}

/** The first 160 bits of the SHA-256 of a value's JSON, in hex. */
export function digestOf(value: unknown): string {
  return digest(JSON.stringify(value), 40);
}
