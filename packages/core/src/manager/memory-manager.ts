import { LruMap } from '@keepsake/internal';
import { expectKnownFields } from '../common/check-fields.ts';
import { withDeadline } from '../common/deadline.ts';
import { quoted } from '../common/text.ts';
import { uuidv7 } from '../common/uuid.ts';
import type { MemoryTool } from '../model/tool.ts';
import type { MemoryEntry } from '../store/memory-store.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { Extraction, type FlushResult } from './extraction/extraction.ts';
import type { ContextInjectorOptions } from './injection/injector-options.ts';
import { memoryRenderer } from './injection/memory-injection.ts';
import { ADD, addToolStores, checkOptions, checkTools, SEARCH, toolsOf } from './options/check-options.ts';
import { consoleLogger } from './options/logger.ts';
import { initializer } from './options/managed-stores.ts';
import type {
  InjectionConfig,
  MemoryAddOptions,
  MemoryAddResult,
  MemoryManagerOptions,
  MemorySearchOptions,
  MemorySearchToolConfig,
} from './options/manager-options.ts';
import { failureReporter } from './search/failures.ts';
import { type SearchContext, searchStores } from './search/search.ts';
import { telemetry } from './search/telemetry.ts';
import { addToStores } from './tools/add.ts';
import { addTool } from './tools/add-tool.ts';
import { isReadable, readTool } from './tools/read-tool.ts';
import { DEFAULT_TOKENS, searchTool } from './tools/search-tool.ts';

/** The number of conversations kept by id. */
const MAX_CONVERSATIONS = 1_000;

/**
 * Gives agents long-term memory from one or more stores: memories reach the model automatically (injection) and through
 * tools, and conversations become memories (extraction).
 *
 * One manager serves all conversations of the same scope. It does not open or close stores. Disposing of it saves pending
 * messages.
 */
export class MemoryManager {
  readonly #context: SearchContext;
  readonly #extraction: Extraction;
  readonly #tools: readonly MemoryTool[];
  /** The names of the tools whose results are memories. */
  readonly #recallTools = new Set<string>();
  readonly #injection:
    | ((recalled: (text: string, entries: readonly MemoryEntry[]) => void) => ContextInjectorOptions)
    | undefined;
  /** Writes that tools have accepted and not finished. */
  readonly #writes = new Set<Promise<unknown>>();
  readonly #conversations = new LruMap<string, Conversation>(MAX_CONVERSATIONS);

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options, with the store's name. */
  constructor(options: MemoryManagerOptions) {
    checkOptions(options);
    const { model, outbox, ranking = 'fused', deadlineMs = 2_000, maxBuffered = 10_000, injection = true } = options;
    const logger = options.logger ?? consoleLogger;
    this.#context = {
      stores: [...options.stores],
      ranking,
      deadlineMs,
      initialize: initializer(),
      report: failureReporter(logger, options.onStoreError),
      span: telemetry(options.recordContent ?? false),
    };
    this.#tools = this.#makeTools(options);
    const writes = this.#writes;
    const recallTools = this.#recallTools;
    this.#extraction = new Extraction({ ...this.#context, model, outbox, maxBuffered, recallTools, writes });
    if (injection === false) return;
    const config: InjectionConfig = settings(injection);
    this.#injection = (recalled) => ({
      render: memoryRenderer(config, this.#context, recalled),
      ...(config.trigger && { trigger: config.trigger }),
      deadlineMs,
      logger,
    });
  }

  /**
   * Searches all stores concurrently, best first. A store that fails or exceeds the deadline is left out and reported.
   * Entries with the same content are returned once.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for unknown stores, `BACKEND` if every store failed, `ABORTED`.
   */
  async search(query: string, options?: MemorySearchOptions): Promise<MemoryEntry[]> {
    if (options !== undefined) expectKnownFields(options, SEARCH);
    return searchStores(this.#context, query, options);
  }

  /**
   * Writes a text to stores concurrently. Writes nothing if one of them can't accept it.
   *
   * @throws MemoryError `INVALID_ARGUMENT`, `READ_ONLY`, `UNSUPPORTED`, `TOO_LARGE` or `ABORTED`, before anything is
   *   written.
   * @throws AggregateError with a MemoryError for each store that failed; its message names the stores that succeeded.
   */
  async add(content: string, options?: MemoryAddOptions): Promise<MemoryAddResult[]> {
    if (options !== undefined) expectKnownFields(options, ADD);
    return addToStores(this.#context, content, options);
  }

  /** The tools for models: the manager's own and those of the stores. The list never changes. */
  tools(): MemoryTool[] {
    return [...this.#tools];
  }

  /**
   * A conversation: the one with that id, or a new one with a new id.
   *
   * @param options - `id`: the thread, 1 to 512 characters.
   */
  conversation(options: { readonly id?: string | undefined } = {}): Conversation {
    expectKnownFields(options, { id: true });
    const { id = uuidv7() } = options;
    return this.#conversations.getOrCreate(id, () =>
      openConversation(id, this.#extraction.conversation(id), this.#injection),
    );
  }

  /**
   * Saves everything observed and waits for pending tool writes. Returns the number of saved and failed messages per store.
   * Also waits for new messages, up to a minute.
   */
  flush(options?: { readonly throwOnFailure?: boolean | undefined }): Promise<FlushResult> {
    return this.#extraction.flush(options);
  }

  /** Saves messages that earlier processes left in the outbox. */
  recover(): Promise<FlushResult> {
    return this.#extraction.recover();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extraction.flush();
    await this.#extraction.close();
  }

  #makeTools({ searchToolConfig = true, addToolConfig = false }: MemoryManagerOptions): MemoryTool[] {
    const { stores, report } = this.#context;
    const tools: { owner: string; tool: MemoryTool }[] = [];
    if (searchToolConfig !== false) {
      for (const tool of this.#makeRecallTools(settings(searchToolConfig))) {
        this.#recallTools.add(tool.name);
        tools.push({ owner: 'searchToolConfig', tool });
      }
    }
    if (addToolConfig !== false) {
      const config = settings(addToolConfig);
      const tool = addTool(config, addToolStores(stores, config), this.add.bind(this), report, this.#writes);
      tools.push({ owner: 'addToolConfig', tool });
    }
    for (const store of stores) {
      for (const tool of toolsOf(store)) tools.push({ owner: `store ${quoted(store.name)}`, tool });
    }
    checkTools(tools);
    return tools.map(({ tool }) => tool);
  }

  #makeRecallTools(config: MemorySearchToolConfig): MemoryTool[] {
    const { stores, deadlineMs, initialize } = this.#context;
    const search = searchTool(config, stores, this.search.bind(this));
    const readable = stores.filter(isReadable);
    if (readable.length === 0) return [search];
    const read = readTool(readable, config.maxTokens ?? DEFAULT_TOKENS, (store, id, signal) =>
      withDeadline(deadlineMs, signal, async () => {
        await initialize(store);
        return store.get(id);
      }),
    );
    return [search, read];
  }
}

/** `true` stands for the defaults. */
function settings<T extends object>(config: true | T): Partial<T> {
  return config === true ? {} : config;
}
