/** The job of a child process. */
export interface Job {
  readonly task: TaskName;
  readonly directory: string;
  readonly sessionId?: string;
  /** Distinguishes this child's items from those of others. */
  readonly writer?: string;
  /** The number of repetitions. */
  readonly times?: number;
  /** The number of items per batch. */
  readonly size?: number;
  /** The approximate length of the text of an item, in bytes. */
  readonly length?: number;
  readonly durability?: 'sync' | 'os';
  /** The steps to take until the process is killed. */
  readonly plan?: Plan;
}

/** Mostly appends, or changes that keep compacting the log, or many clears. */
export type Plan = 'append' | 'compact' | 'clear';

export type TaskName =
  | 'append'
  | 'transact'
  | 'sameOperation'
  | 'pop'
  | 'clear'
  | 'delete'
  | 'keepReading'
  | 'followPlan'
  | 'increment'
  | 'putMany'
  | 'clearRecords'
  | 'deleteRecords'
  | 'keepReadingRecords'
  | 'followRecordPlan'
  | 'useSessions'
  | 'firstUse';

/** The items of one batch. */
export function batchOf({ writer = 'one', size = 1, length = 0 }: Partial<Job>, batch: number): TestItem[] {
  const text = 'ä€💡\n'.repeat(Math.ceil(length / 10));
  return Array.from({ length: size }, (_, index) => ({ writer, batch, index, text }));
}

/** An item that names its writer, its batch and its position there. */
export interface TestItem {
  readonly writer: string;
  readonly batch: number;
  readonly index: number;
  readonly text: string;
}

/** A record id that names the writer, the batch and the position in the batch. */
export function recordId({ writer, batch, index }: TestItem): string {
  return `${writer} ${batch} ${index}`;
}
