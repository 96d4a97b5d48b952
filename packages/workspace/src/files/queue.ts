import { isRecord } from '../check-fields.ts';
import { readObject } from '../generate/read-object.ts';
import { NAMES, type Paths } from './layout.ts';
import type { Ledger } from './ledger.ts';

/** How far a conversation is. */
export interface QueueEntry {
  /** As it was named by whoever ran it. */
  readonly rolloutId: string;
  /**
   * - `extracted`: there are notes.
   * - `empty`: there was nothing worth keeping.
   * - `failed`: the last try failed; it is tried again the next time, five times at most until it grows.
   */
  readonly status: 'extracted' | 'empty' | 'failed';
  /** Failed tries since the last success. */
  readonly attempts: number;
  /** Why the last one failed: what kind of error. */
  readonly error?: string;
  /** How much of the transcript has been extracted, in characters. */
  readonly cursor: number;
  /** How much of it there was at the last try. */
  readonly seen: number;
  /** When the conversation went on last, of what has been extracted. */
  readonly updatedAt: string;
  /** Of its notes; missing where there are none. */
  readonly slug?: string;
}

export type Queue = Readonly<Record<string, QueueEntry>>;

export async function readQueue(ledger: Ledger, paths: Paths): Promise<Queue> {
  const file = await ledger.read(paths.memory(NAMES.queue));
  if (file === undefined) return {};
  return readObject(paths.memory(NAMES.queue), file.text, (queue) => Object.values(queue).every(isRecord));
}

export function writeQueue(queue: Queue): string {
  const sorted = Object.entries(queue).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}
