import type { Excerpt } from './best-passage.ts';
import type { Filter } from './filter.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { MemoryTool } from './tool.ts';

/**
 * What is known from before. Only `search` is needed; every Keepsake store is a valid `MemoryStore` of the Strands SDK
 * as it is.
 */
export interface MemoryStore {
  /** Identifies the store among those of an agent. Not blank, up to 128 characters, no control characters. */
  readonly name: string;
  /** What the store holds, for people and for the models that choose among stores. */
  readonly description?: string;
  /** How many entries a search gives when the caller doesn't say. */
  readonly maxSearchResults?: number;
  /** Whether it takes writes. Where it doesn't, every write is refused with `READ_ONLY`, whoever calls. */
  readonly writable: boolean;
  /**
   * Whether and how a manager feeds conversations to this store: `true`, or the settings of that manager. The store
   * carries them and never looks inside.
   */
  readonly extraction?: boolean | object;

  /**
   * The entries that fit a text, best first, ties by newest; `[]` for a blank query.
   *
   * The query is always literal text, never a query language.
   */
  search(query: string, options?: SearchOptions): Promise<MemoryEntry[]>;

  /**
   * Remembers one text. Adding the same text again leaves one entry, so that a write can be retried.
   *
   * Blank text is `INVALID_ARGUMENT`.
   */
  add?(content: string, metadata?: JsonObject): Promise<unknown>;

  /** Remembers messages, one entry an utterance, or distils them in the backend. Can be retried, see the context. */
  addMessages?(messages: Message[], context?: AddMessagesContext): Promise<unknown>;

  /** Connects, where a store must do so before its first use. Safe to call again. */
  initialize?(): Promise<void>;

  /** Tools of the backend's own, registered beside those of the manager. */
  tools?(): MemoryTool[];
}

/** How to search. */
export interface SearchOptions {
  /** At most so many entries: a whole number of 1 or more. By default the store's `maxSearchResults`, else 10. */
  readonly maxSearchResults?: number;
  /** Looks only at records that pass. Applied before ranking, so the limit is filled with passing records. */
  readonly filter?: Filter;
  /** Leaves out entries of a lower score. Scores compare within one search of one store only. */
  readonly minScore?: number;
  /** Says of each entry how its score came about, as {@link MemoryEntry.explanation}, where the store can. Default false. */
  readonly explain?: boolean;
  /** Aborts the search, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** Something remembered, as a search gives it. */
export interface MemoryEntry {
  readonly id?: string;
  content: string;
  metadata?: JsonObject;
  /** How well it fits; higher is better. */
  readonly score?: number;
  /** The store it came from. */
  storeName?: string;
  /** ISO 8601 with milliseconds, UTC. */
  readonly createdAt?: string;
  /** ISO 8601 with milliseconds, UTC. */
  readonly updatedAt?: string;
  readonly turn?: Turn;
  /** Of a long entry, the passage that fits best: at most 320 UTF-16 units. For showing it, and for prompts. */
  readonly excerpt?: Excerpt;
  /** How the score came about; only where the search was told to `explain`, and by stores that can. */
  readonly explanation?: ScoreExplanation;
}

/** How a score came about: all of `sum` added, times each of `factors`. The names are the store's. */
export interface ScoreExplanation {
  readonly sum: { readonly [signal: string]: number };
  readonly factors: { readonly [signal: string]: number };
}

/** Where an utterance stands in its conversation. Ranking uses it: neighbours lend one another score. */
export interface Turn {
  /** Names the conversation. */
  readonly thread: string;
  /** The position in it: a whole number of 0 or more. */
  readonly index: number;
  /** Who spoke. */
  readonly speaker?: string;
}

/** What makes a batch of messages safe to send again. */
export interface AddMessagesContext {
  /** One number a message, rising; the same in a retry. */
  readonly sequenceNumbers?: readonly number[];
  /** The run that the numbers belong to. Without one, the store tells runs apart by what they said. */
  readonly runId?: string;
  /** The conversation: the `turn.thread` of the entries. By default the run. */
  readonly thread?: string;
}
