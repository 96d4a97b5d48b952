import type { Filter } from '../filter.ts';
import type { JsonObject } from '../json.ts';
import type { MemoryEntry, MemoryStore } from '../memory-store.ts';
import type { MemoryModel } from '../model.ts';
import type { RecordStore } from '../record-store.ts';
import type { InjectionContext, InjectionTrigger } from './injector.ts';
import type { Logger } from './logger.ts';
import type { ReportFailure } from './report.ts';

/** How a `MemoryManager` is set up. What can't work is refused at once, with `INVALID_ARGUMENT`. */
export interface MemoryManagerOptions {
  /**
   * The stores, of names that differ by more than case. Stores of the Strands SDK will do as they are. They stay open:
   * close them yourself.
   */
  readonly stores: readonly MemoryStore[];
  /**
   * The tool that searches: whether there is one, or how it works. With it comes `read_memory`, which reads on in a long
   * memory, where a store has `get`.
   *
   * @default true
   */
  readonly searchToolConfig?: boolean | MemorySearchToolConfig;
  /** The tool that writes: whether there is one, or how. Default false. */
  readonly addToolConfig?: boolean | MemoryAddToolConfig;
  /** Whether and how memory is folded into what models read. Default true. */
  readonly injection?: boolean | InjectionConfig;
  /** Distils conversations, for the stores whose extraction needs a model. */
  readonly model?: MemoryModel;
  /**
   * How the entries of several stores become one list: `fused` by their ranks (reciprocal rank fusion), or all of the
   * first store before all of the second. Default `fused`.
   */
  readonly ranking?: 'fused' | 'registration';
  /**
   * How long a search waits for a store, and a turn for its memory, in milliseconds; a write waits ten times as long.
   * Default 2,000.
   */
  readonly deadlineMs?: number;
  /**
   * How many messages of a conversation wait to be saved before the oldest are dropped, and reported. Where twice as many
   * wait in all, the conversations that are quiet longest are saved before their triggers ask for it. Default 10,000.
   */
  readonly maxBuffered?: number;
  /** Keeps what was observed until it is saved, so that no turn is lost when the process dies; see `recover`. */
  readonly outbox?: RecordStore;
  /** Hears of every failure of a store that is not thrown. What it throws is ignored. */
  readonly onStoreError?: ReportFailure;
  /** By default, warnings and errors go to the console. */
  readonly logger?: Logger;
  /** Whether spans of OpenTelemetry hold queries and contents. Default false. */
  readonly recordContent?: boolean;
}

/** How the tool that searches presents itself to the model, and how much it gives. */
export interface MemorySearchToolConfig extends MemoryToolConfig {
  /**
   * The highest number of tokens of a result, and of what the tool that reads on gives at once, counting 3 bytes of UTF-8
   * as one. Long entries come as their best passage.
   *
   * @default 1000
   */
  readonly maxTokens?: number;
}

/** How a tool presents itself to the model. */
export interface MemoryToolConfig {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`. */
  readonly name?: string;
  /** What the tool is for, up to 4,096 characters. The names and descriptions of the stores follow it. */
  readonly description?: string;
}

/** How the tool that writes works. */
export interface MemoryAddToolConfig extends MemoryToolConfig {
  /** The stores that it writes to, by name or as such. By default all that are writable and take texts. */
  readonly stores?: readonly (string | MemoryStore)[];
  /** Whether the tool's result waits until all is written. If not, failures go to `onStoreError`. Default true. */
  readonly waitForWrites?: boolean;
}

/** What is folded into what models read, and when. */
export interface InjectionConfig {
  /**
   * When: `userTurn`, once the user asks, and the same through the tool calls that follow; `everyTurn`, searched anew
   * before each call of the model; or what says so. Default `userTurn`.
   */
  readonly trigger?: InjectionTrigger;
  /**
   * The highest number of entries. What is injected also ends where scores fall off, and with `maxTokens`.
   *
   * @default 50
   */
  readonly maxEntries?: number;
  /**
   * The highest number of tokens, counting 3 bytes of UTF-8 as one: more than most tokenizers count. Long entries come as
   * their best passage, and the last one is shortened to what fits. Measured in the default format.
   *
   * @default 1000
   */
  readonly maxTokens?: number;
  /** Leaves out entries of a lower score. Scores compare within one store only, so this suits a single store. */
  readonly minScore?: number;
  /** What to search for; nothing is injected where it gives none. By default what the user asks, see `InjectionContext`. */
  readonly query?: (context: InjectionContext) => string | undefined | Promise<string | undefined>;
  /** The text to inject, of entries best first. It has to escape what it marks up. By default a `<memory>` block. */
  readonly format?: (context: { readonly entries: readonly MemoryEntry[] }) => string | Promise<string>;
}

/** How a manager searches. */
export interface MemorySearchOptions {
  /** Names of the stores to look into; `[]` finds nothing. By default all. */
  readonly stores?: readonly string[] | undefined;
  /** At most so many entries, of each store and in all. By default each store's `maxSearchResults`, else 3 of each. */
  readonly maxSearchResults?: number | undefined;
  /** Looks only at what passes; see `SearchOptions`. Also applied to what stores give that know no filters. */
  readonly filter?: Filter | undefined;
  /** Leaves out entries of a lower score. Scores compare within one store only. */
  readonly minScore?: number | undefined;
  /** Aborts the search, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How a manager adds a text. */
export interface MemoryAddOptions {
  /** Names of the stores to write to; `[]` writes nothing. By default all that are writable and take texts. */
  readonly stores?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Stops waiting. What was not written by then fails with `OUTCOME_UNKNOWN`: it may be written yet. */
  readonly signal?: AbortSignal | undefined;
}

/** What a store made of a text. */
export interface MemoryAddResult {
  readonly storeName: string;
  /** What the store's `add` gave: the record, for a Keepsake store. */
  readonly result: unknown;
}
