import type { Conversation } from './conversation.ts';

/** The data sets that can be read. */
export type DataSetName = 'LoCoMo' | 'BEAM';

/** How a data set writes a conversation in JSON. */
export interface Shape {
  readonly name: DataSetName;
  /** The categories of its questions, in the order of the tables. */
  readonly categories: readonly string[];
  recognises(value: unknown): boolean;
  /** @param name - The name of conversations without one. */
  read(value: unknown, name: string): Conversation;
}
