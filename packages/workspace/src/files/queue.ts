import { isObject } from '@keepsake/internal';
import { readObject } from '../generate/read-object.ts';
import { NAMES, type Paths } from './layout.ts';
import type { Ledger } from './ledger.ts';

/** The state of a conversation in the queue. */
export interface QueueEntry {
  /** The caller's id of the conversation. */
  readonly rolloutId: string;
  /**
   * - `extracted`: there are notes.
   * - `empty`: there was nothing worth keeping.
   * - `failed`: the last attempt failed. It is retried at the next generation, at most five times until it grows.
   */
  readonly status: 'extracted' | 'empty' | 'failed';
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** The kind of the last error. */
  readonly error?: string;
  /** The number of characters of the transcript extracted so far. */
  readonly cursor: number;
  /** The length of the transcript at the last attempt. */
  readonly seen: number;
  /** The time of the last extracted activity. */
  readonly updatedAt: string;
  /** The mark of the transcript when all of it was extracted; see `Workspace.marks`. */
  readonly mark?: string;
  /** The slug of its notes; missing if there are none. */
  readonly slug?: string;
}

export type Queue = Readonly<Record<string, QueueEntry>>;

export async function readQueue(ledger: Ledger, paths: Paths): Promise<Queue> {
  const file = await ledger.read(paths.memory(NAMES.queue));
  if (file === undefined) return {};
  return readObject(paths.memory(NAMES.queue), file.text, (queue) => Object.values(queue).every(isObject));
}

export function writeQueue(queue: Queue): string {
  const sorted = Object.entries(queue).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}
