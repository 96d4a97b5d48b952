import { createHash } from 'node:crypto';
import type { JsonObject } from '@keepsake/core';
import type { Found } from './found.ts';

/** One thing that somebody said in a conversation. */
export interface Utterance {
  /** Names the conversation for ever. */
  readonly conversation: string;
  /** Names the utterance in it for ever: with the conversation it makes the id, so that nothing is added twice. */
  readonly key: string | readonly unknown[];
  /** The place in the order of the thread. */
  readonly index: number;
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601. By default the time of the import. */
  readonly createdAt?: string | undefined;
  readonly metadata: JsonObject;
  /** The conversation, unless it has several. */
  readonly thread?: string;
}

/** Makes a record of what was said; blank text is left out. */
export function toFound(utterance: Utterance, place: string): Found {
  const { conversation, key, index, speaker, text, createdAt, metadata, thread = conversation } = utterance;
  if (text.trim() === '') return { place, leftOut: 'blank' };
  const record = {
    id: `import-${digest([conversation, key])}`,
    content: text,
    metadata,
    turn: { thread, index, speaker },
    ...(createdAt === undefined ? {} : { createdAt }),
  };
  return { place, record };
}

/** Tells values apart: 160 bits of the SHA-256 of their JSON, in hex. */
export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);
}
