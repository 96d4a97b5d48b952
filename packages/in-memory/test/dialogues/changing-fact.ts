/** What an extractor learns from a message: a new fact, a fact that replaces another, or the end of one. */
export type Lesson =
  | { readonly add: string }
  | { readonly from: string; readonly to: string }
  | { readonly end: string };

/** A message of the user, what is learnt from it, and the facts that hold then, sorted. */
interface Told {
  readonly says: string;
  readonly learns: readonly Lesson[];
  readonly holds: readonly string[];
}

/** A conversation over several days in which facts change. */
export interface ChangingFact {
  readonly about: string;
  readonly told: readonly Told[];
}
