/** What was said before, and what a model that is asked now must be reminded of. */
export interface Dialogue {
  /** What was said in earlier conversations, oldest first, each line as {@link Line}. One a day. */
  readonly before: readonly (readonly Line[])[];
  /** What was said in this conversation, before the question. */
  readonly now?: readonly Line[];
  /** What the user asks. */
  readonly ask: string;
  /** Texts that must be in the block. */
  readonly shows?: readonly string[];
  /** Texts that must not be. */
  readonly hides?: readonly string[];
  /** A text of the first entry of the block. */
  readonly first?: string;
  /** The block must be empty. */
  readonly nothing?: true;
}

/** `u: ` and what the user said, `a: ` and what the assistant said. */
export type Line = `u: ${string}` | `a: ${string}`;

/** By what a kind of dialogues has in common. */
export type Dialogues = Readonly<Record<string, readonly Dialogue[]>>;
