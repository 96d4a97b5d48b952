import type { JsonObject, JsonObjectInput } from '../json/json.ts';
import type { Message } from '../model/message.ts';
import type { MemoryTool } from '../model/tool.ts';
import type { Excerpt } from './best-passage.ts';
import type { Filter } from './filter.ts';
import type { Namespace } from './namespace.ts';
import type { RecordSource } from './record-source.ts';

/** Long-term memory. Only `search` is required; every Keepsake store is a valid `MemoryStore` of the Strands SDK. */
export interface MemoryStore {
  /**
   * Identifies the store among those of an agent. Not blank, up to 128 characters, no control characters. It is no place of
   * its own: two stores with one namespace on one backend have the same memories, whatever they are called.
   */
  readonly name: string;
  /** Describes the store for people and for models that choose among stores. */
  readonly description?: string;
  /** The default number of search results. */
  readonly maxSearchResults?: number;
  /** Whether it accepts writes. If not, every write is refused with `READ_ONLY`. */
  readonly writable: boolean;
  /**
   * Whether and how a manager feeds conversations to this store: `true` or the settings of that manager, which the store
   * does not interpret.
   */
  readonly extraction?: boolean | object;

  /**
   * Finds entries that match a text, best first, newest first on ties; `[]` for a blank query.
   *
   * The query is always literal text, never a query language.
   */
  search(query: string, options?: SearchOptions): Promise<MemoryEntry[]>;

  /**
   * Adds a text. Adding the same text again leaves one entry, so a write can be retried.
   *
   * Blank text is `INVALID_ARGUMENT`.
   */
  add?(content: string, metadata?: JsonObjectInput): Promise<unknown>;

  /** Adds messages, one entry per utterance, or distils them in the backend. Can be retried, see the context. */
  addMessages?(messages: Message[], context?: AddMessagesContext): Promise<unknown>;

  /** Connects, if a store must do so before its first use. Can be called again. */
  initialize?(): Promise<void>;

  /** Additional tools of the backend, registered beside those of the manager. */
  tools?(): MemoryTool[];
}

/** How to search. */
export interface SearchOptions {
  /** The maximum number of entries, 1 or more. @default The store's `maxSearchResults`, else 10. */
  readonly maxSearchResults?: number | undefined;
  /** Only records that pass. Applied before ranking, so the limit is filled with passing records. */
  readonly filter?: Filter | undefined;
  /** Leaves out entries with a lower score. Scores are comparable only within one search of one store. */
  readonly minScore?: number | undefined;
  /** Adds a {@link MemoryEntry.explanation} of the score to each entry, if the store can. @default false */
  readonly explain?: boolean | undefined;
  /** Aborts the search, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A search result. */
export interface MemoryEntry {
  readonly id?: string;
  content: string;
  metadata?: JsonObject;
  /** The score; higher is better. */
  readonly score?: number;
  /** The name of its store. */
  storeName?: string;
  /** The whole path of its namespace, if the search was over `descendants`. */
  readonly namespace?: Namespace;
  /** ISO 8601 with milliseconds, UTC. */
  readonly createdAt?: string;
  /** ISO 8601 with milliseconds, UTC. */
  readonly updatedAt?: string;
  readonly turn?: Turn;
  /** Where it came from. */
  readonly source?: RecordSource;
  /** The best passage of a long entry, at most 320 UTF-16 units, for display and for prompts. */
  readonly excerpt?: Excerpt;
  /** An explanation of the score, if the search has `explain` and the store can. */
  readonly explanation?: ScoreExplanation;
}

/** An explanation of a score: the total of `sum`, multiplied by each of `factors`. The names are the store's. */
export interface ScoreExplanation {
  readonly sum: { readonly [signal: string]: number };
  readonly factors: { readonly [signal: string]: number };
}

/** The position of an utterance in its conversation. Ranking uses it: neighbours add to each other's score. */
export interface Turn {
  /** Names the conversation. */
  readonly thread: string;
  /** The position in it: a whole number of 0 or more. */
  readonly index: number;
  /** Who spoke. */
  readonly speaker?: string;
}

/** Makes adding a batch of messages idempotent. */
export interface AddMessagesContext {
  /** One number per message, increasing. A message keeps its number in a retry, which may have other messages too. */
  readonly sequenceNumbers?: readonly number[] | undefined;
  /** The run that the numbers belong to. Without it, the store distinguishes runs by their messages. */
  readonly runId?: string | undefined;
  /** The conversation: the `turn.thread` of the entries. @default The run. */
  readonly thread?: string | undefined;
}
