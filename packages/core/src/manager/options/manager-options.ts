import type { JsonObjectInput } from '../../json/json.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { Filter } from '../../store/filter.ts';
import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import type { PageOptions } from '../../store/page.ts';
import type { MemoryRecord, RecordStore } from '../../store/record-store.ts';
import type { InjectionContext, InjectionTrigger } from '../injection/injector-options.ts';
import type { ReportFailure } from '../search/report.ts';
import type { Logger } from './logger.ts';

/** Options of `MemoryManager`. Invalid options are refused at once with `INVALID_ARGUMENT`. */
export interface MemoryManagerOptions {
  /** The stores, with names that differ in more than case. Accepts stores of the Strands SDK. Close them yourself. */
  readonly stores: readonly MemoryStore[];
  /**
   * Whether there is a search tool, or its settings. Includes `read_memory`, which continues a long memory, if a store has
   * `get`.
   *
   * @default true
   */
  readonly searchToolConfig?: boolean | MemorySearchToolConfig | undefined;
  /** Whether there is a tool that adds memories, or its settings. @default false */
  readonly addToolConfig?: boolean | MemoryAddToolConfig | undefined;
  /**
   * Whether there is a tool that deletes memories by the ids that the search tool returns, or its settings.
   *
   * @default false
   */
  readonly forgetToolConfig?: boolean | MemoryForgetToolConfig | undefined;
  /** Whether and how memory is injected into model calls. @default true */
  readonly injection?: boolean | InjectionConfig | undefined;
  /** Extracts memories for stores whose extraction needs a model. */
  readonly model?: MemoryModel | undefined;
  /** Stores observed messages until they are saved, so that a crash loses no turn; see `recover`. */
  readonly outbox?: RecordStore | undefined;
  /** How stores are searched. */
  readonly search?: SearchConfig | undefined;
  /** How messages wait for the extraction of memories, and what their dates mean. */
  readonly extraction?: ManagerExtractionConfig | undefined;
  /** What is reported of failures and calls, and to whom. */
  readonly telemetry?: TelemetryConfig | undefined;
}

/** How a manager searches its stores. */
export interface SearchConfig {
  /**
   * How to merge the entries of several stores: `fused` by rank (reciprocal rank fusion), or in the order of `registration`.
   * @default 'fused'
   */
  readonly ranking?: 'fused' | 'registration' | undefined;
  /**
   * The deadline of a search and of an injection in milliseconds. A store that exceeds it three times in a row is skipped
   * for a while. Writes get ten times as long, because losing one costs more than waiting. @default 2000
   */
  readonly deadlineMs?: number | undefined;
}

/** How messages wait for the extraction of memories. When and how each store extracts is an option of the store. */
export interface ManagerExtractionConfig {
  /**
   * The maximum number of unsaved messages per conversation. Beyond it, the oldest are dropped and reported. At twice as
   * many in total, the longest idle conversations are saved early. @default 10000
   */
  readonly maxBuffered?: number | undefined;
  /**
   * The time zone, such as `Europe/Lisbon`, for dates in what users say: "tomorrow" depends on it. `for({ user, timeZone })`
   * sets that of a user. @default 'UTC'
   */
  readonly timeZone?: string | undefined;
}

/** What a manager reports, and to whom. */
export interface TelemetryConfig {
  /** Called for every failure of a store that is not thrown. Its errors are ignored. */
  readonly onStoreError?: ReportFailure | undefined;
  /** @default Warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
  /** Whether OpenTelemetry spans contain queries and contents. @default false */
  readonly recordContent?: boolean | undefined;
}

/** The settings of the search tool. */
export interface MemorySearchToolConfig extends MemoryToolConfig {
  /**
   * The maximum number of tokens of a result, also of `read_memory`, counting 3 bytes of UTF-8 as one. Long entries are
   * shown as their best passage.
   *
   * @default 1000
   */
  readonly maxTokens?: number | undefined;
}

/** The name and description of a tool. */
interface MemoryToolConfig {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`. */
  readonly name?: string | undefined;
  /** The purpose of the tool, up to 4,096 characters. Followed by the names and descriptions of the stores. */
  readonly description?: string | undefined;
}

/** The settings of the add tool. */
export interface MemoryAddToolConfig extends MemoryToolConfig {
  /** The stores that it writes to, by name or object. @default All writable stores with `add`. */
  readonly stores?: readonly (string | MemoryStore)[] | undefined;
  /** Whether the tool waits for its writes. If not, failures go to `telemetry.onStoreError`. @default true */
  readonly waitForWrites?: boolean | undefined;
}

/** The settings of the forget tool. */
export interface MemoryForgetToolConfig extends MemoryToolConfig {
  /**
   * The stores that it deletes from, by name or object.
   *
   * @default All writable stores with `get` and `delete`.
   */
  readonly stores?: readonly (string | MemoryStore)[] | undefined;
}

/** What to inject, and when. */
export interface InjectionConfig {
  /**
   * When to inject: `userTurn`, once per message of the user, unchanged during tool calls and in later turns; `everyTurn`,
   * with a new search before each model call; or a function that decides. @default 'userTurn'
   */
  readonly trigger?: InjectionTrigger | undefined;
  /**
   * The maximum number of entries. Injection also stops where scores fall off, and at `maxTokens`.
   *
   * @default 50
   */
  readonly maxEntries?: number | undefined;
  /**
   * The maximum number of tokens, counting 3 bytes of UTF-8 as one, which is more than most tokenizers count. Long entries
   * are shown as their best passage, and the last entry is shortened to fit. Measured in the default format.
   *
   * @default 1000
   */
  readonly maxTokens?: number | undefined;
  /**
   * The maximum number of tokens of all blocks in a request. Blocks stay at the messages they were injected into, which keeps
   * prompt caches valid, and their entries are not repeated. Beyond this limit, the oldest blocks are removed in one step,
   * down to half of it; the newest always stays. Only with the trigger `userTurn`: others inject one block per request.
   *
   * @default 4000
   */
  readonly maxConversationTokens?: number | undefined;
  /**
   * `user`: only entries of which the user is the speaker, by their `source.speaker` or else their `turn.speaker`. Leaves out
   * what an assistant or a tool said, and memories that do not say who said it.
   *
   * @default Everything is injected.
   */
  readonly trust?: 'user' | undefined;
  /** Leaves out entries with a lower score. Scores are comparable only within one store, so use this with a single store. */
  readonly minScore?: number | undefined;
  /** Returns the query; nothing is injected if it returns none. @default The user's message, see `InjectionContext`. */
  readonly query?: ((context: InjectionContext) => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * Returns the text to inject for entries, best first. Must escape what it puts into markup. @default A `<memory>` block.
   */
  readonly format?: ((context: { readonly entries: readonly MemoryEntry[] }) => string | Promise<string>) | undefined;
}

/** Options of a search. */
export interface MemorySearchOptions {
  /** The names of the stores to search; `[]` finds nothing. @default All. */
  readonly stores?: readonly string[] | undefined;
  /** The maximum number of entries, per store and in total. @default Each store's `maxSearchResults`, else 3 per store. */
  readonly maxSearchResults?: number | undefined;
  /** Only entries that pass, see `SearchOptions`. Also applied to the results of stores without filters. */
  readonly filter?: Filter | undefined;
  /** Leaves out entries with a lower score. Scores are comparable only within one store. */
  readonly minScore?: number | undefined;
  /** Aborts the search, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `add`. */
export interface MemoryAddOptions {
  /** The names of the stores to write to; `[]` writes nothing. @default All writable stores with `add`. */
  readonly stores?: readonly string[] | undefined;
  readonly metadata?: JsonObjectInput | undefined;
  /** Stops waiting. Pending writes fail with `OUTCOME_UNKNOWN`, because they may still succeed. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of one store. */
export interface MemoryAddResult {
  readonly storeName: string;
  /** The result of the store's `add`: the record, for a Keepsake store. */
  readonly result: unknown;
}

/** Which memories to list. */
export interface MemoryListOptions extends PageOptions {
  /**
   * The names of the stores to list; `[]` lists nothing.
   *
   * @default All that can list their records.
   */
  readonly stores?: readonly string[] | undefined;
  /** Only records that pass, see `ListOptions`. */
  readonly filter?: Filter | undefined;
  /** Aborts the list, which then rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A record and its store. */
export interface ListedMemory extends MemoryRecord {
  readonly storeName: string;
}

/** Which memories to forget. */
export interface MemoryForgetOptions {
  /** Ids, or what `search` or `list` returned. Without a `storeName`, an id is looked for in all stores. */
  readonly ids: readonly (string | Pick<MemoryEntry, 'id' | 'storeName'>)[];
  /**
   * The names of the stores for ids without a `storeName`.
   *
   * @default All stores with `get`.
   */
  readonly stores?: readonly string[] | undefined;
  /** Stops waiting. Deletions in flight fail with `OUTCOME_UNKNOWN`, because they may still happen. */
  readonly signal?: AbortSignal | undefined;
}

/** What was forgotten. */
export interface MemoryForgetResult {
  /** The records as they were. */
  readonly forgotten: readonly ListedMemory[];
  /** The ids that no store has. */
  readonly notFound: readonly string[];
}
