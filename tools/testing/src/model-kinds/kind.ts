/** What a model generates as one thing, and what belongs to it until its answer is complete. */
export interface Generated {
  /** In the response of the model. */
  readonly output: readonly object[];
  /** In its place while the client has not answered, if that is another. */
  readonly open?: readonly object[];
  /** In its place while the client has decided, and not answered, if that is another. */
  readonly decided?: readonly object[];
  /** What the client decides before it answers, such as an approval. */
  readonly decisions?: readonly object[];
  /** What the client answers. */
  readonly answers?: readonly object[];
  /** With what the next response begins. */
  readonly next?: readonly object[];
}

/** Writes outputs of one kind. @param n - The number of the output, for its ids. */
export type Kind = (n: number) => Generated;

/** All kinds of a format, by names that are the same in all formats. */
export interface Kinds {
  /** Leads to the next output of its response. */
  readonly reasoning: Kind;
  readonly message: Kind;
  readonly call: Kind;
  readonly handoff: Kind;
  readonly [name: string]: Kind;
}

/** What users send, which begins a turn. */
interface Questions {
  readonly question: (n: number) => readonly object[];
  readonly [name: string]: (n: number) => readonly object[];
}

/** What a format can write. */
export interface FormatKinds {
  readonly kinds: Kinds;
  readonly questions: Questions;
}

/** Whether the client has to answer outputs of a kind. */
export function isAnswered(kind: Kind): boolean {
  const { open, answers } = kind(0);
  return (open ?? answers) !== undefined;
}

/** Whether the client decides about outputs of a kind before it answers. */
export function isDecided(kind: Kind): boolean {
  const { decided, decisions } = kind(0);
  return (decided ?? decisions) !== undefined;
}
