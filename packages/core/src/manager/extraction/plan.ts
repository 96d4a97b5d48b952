import type { MemoryErrorCode } from '../../common/errors.ts';
import type { Message } from '../../model/message.ts';
import type { MemoryChange } from './extraction-config.ts';

/** A message that some store has not saved yet. */
export interface Item {
  /** Its number in the run. Increasing and unique. */
  readonly number: number;
  readonly message: Message;
  /** When it was said, or else observed: ISO 8601, UTC. */
  readonly at: string;
}

/** When and why a message failed. */
export interface MessageError {
  /** When the message failed last: ISO 8601, UTC. */
  readonly failedAt: string;
  readonly error: { readonly code?: MemoryErrorCode; readonly message: string };
}

/** What to do with the items up to `last`, until it is done. */
export interface Plan {
  readonly first: number;
  readonly last: number;
  /** The changes of the extractor. */
  readonly changes: readonly PlannedChange[];
  /** Why the items are given up instead. */
  readonly failure?: MessageError | undefined;
}

/** A plan in progress. */
export interface KeptPlan {
  readonly plan: Plan;
  /** How many of its changes are applied or refused. */
  applied: number;
  /** The numbers of its messages. */
  readonly numbers: readonly number[];
  /** One error for each change that the store refuses for good. */
  readonly refusals: unknown[];
}

/** A change; `was` is the content of a memory that it deletes. */
export type PlannedChange =
  | Exclude<MemoryChange, { kind: 'delete' }>
  | (Extract<MemoryChange, { kind: 'delete' }> & { readonly was: string });
