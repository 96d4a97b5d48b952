/** Earlier conversations, a question, and the expected memories for its answer. */
export interface Dialogue {
  /** Earlier conversations, one per day, oldest first. */
  readonly before: readonly (readonly Line[])[];
  /** The current conversation before the question. */
  readonly now?: readonly Line[];
  /** The question of the user. */
  readonly ask: string;
  /** Texts that the block must contain. */
  readonly shows?: readonly string[];
  /** Texts that the block must not contain. */
  readonly hides?: readonly string[];
  /** Text that the first entry of the block must contain. */
  readonly first?: string;
  /** The block must be empty. */
  readonly nothing?: true;
  /** Why this fails today. The test fails as soon as it no longer does. */
  readonly miss?: string;
}

/** A message of the user (`u: `) or of the assistant (`a: `). */
export type Line = `u: ${string}` | `a: ${string}`;

/** Dialogues by topic. */
export type Dialogues = Readonly<Record<string, readonly Dialogue[]>>;
