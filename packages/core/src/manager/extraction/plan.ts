import type { Message } from '../../model/message.ts';
import type { Refusal } from '../search/refusal.ts';
import type { MemoryChange } from './extraction-config.ts';

/** A message that some store has not saved yet. */
export interface Item {
  /** Its number in the run. Increasing and unique. */
  readonly number: number;
  readonly message: Message;
  /** When it was said, or else observed: ISO 8601, UTC. */
  readonly at: string;
}

/** The changes of an extractor for the items up to `last`, until all are applied. */
export interface Plan {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly PlannedChange[];
}

/** A plan in progress. */
export interface KeptPlan {
  readonly plan: Plan;
  /** How many of its changes are applied or refused. */
  applied: number;
  /** The numbers of its messages. */
  readonly numbers: readonly number[];
  /** One for each change that the store refuses for good. */
  readonly refusals: Refusal[];
}

/** Keeps the changes for one message, so that its next try applies the same ones, also in another process. */
export interface ChangeKeeper {
  /** Those that are kept already. */
  readonly changes: readonly PlannedChange[] | undefined;
  /**
   * Keeps changes before they are applied, unless others are kept already. Returns those that are kept, or `undefined` if
   * another process has finished the message.
   */
  keep(changes: readonly PlannedChange[]): Promise<readonly PlannedChange[] | undefined>;
}

/** A change; `was` is the content of a memory that it deletes. */
export type PlannedChange =
  | Exclude<MemoryChange, { kind: 'delete' }>
  | (Extract<MemoryChange, { kind: 'delete' }> & { readonly was: string });
