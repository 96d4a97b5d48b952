import fs from 'node:fs';
import type { Plan } from './plan.ts';

/** What a child process is to do. */
export interface Job {
  readonly task: TaskName;
  readonly directory: string;
  readonly sessionId?: string;
  /** Tells this child's items from those of others. */
  readonly writer?: string;
  /** How often. */
  readonly times?: number;
  /** How many items at a time. */
  readonly size?: number;
  /** How long the text of an item is. */
  readonly length?: number;
  readonly durability?: 'sync' | 'os';
  /** What to do step by step, without end. */
  readonly plan?: Plan;
}

export type TaskName =
  | 'append'
  | 'transact'
  | 'sameOperation'
  | 'pop'
  | 'clear'
  | 'delete'
  | 'readOn'
  | 'followPlan'
  | 'increment'
  | 'putMany'
  | 'clearRecords'
  | 'deleteRecords'
  | 'readRecordsOn'
  | 'followRecordPlan'
  | 'firstUse'
  | 'nothing';

/** The items of one batch. */
export function batchOf({ writer = 'one', size = 1, length = 0 }: Partial<Job>, batch: number): TestItem[] {
  const text = 'ä€💡\n'.repeat(Math.ceil(length / 10));
  return Array.from({ length: size }, (_, index) => ({ writer, batch, index, text }));
}

/** An item that says where it belongs. */
export interface TestItem {
  readonly writer: string;
  readonly batch: number;
  readonly index: number;
  readonly text: string;
}

/** The id of a record that says where it belongs. */
export function recordId({ writer, batch, index }: TestItem): string {
  return `${writer} ${batch} ${index}`;
}

// As it is before anybody watches the calls of the file system: what is said is none of them.
const { writeSync } = fs;

/** Tells the parent at once: what is said before a kill has arrived. */
export function say(...words: unknown[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}
