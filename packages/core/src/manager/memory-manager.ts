import type { MemoryEntry } from '../memory-store.ts';
import { quoted } from '../text.ts';
import type { MemoryTool } from '../tool.ts';
import { uuidv7 } from '../uuid.ts';
import { addToStores } from './add.ts';
import { addTool } from './add-tool.ts';
import { anything, expectFields } from './check-fields.ts';
import { ADD, addToolStores, checkOptions, checkTools, SEARCH, toolsOf } from './check-options.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { Extraction, type FlushResult } from './extraction.ts';
import { failureReporter } from './failures.ts';
import type { ContextInjectorOptions } from './injector.ts';
import { consoleLogger } from './logger.ts';
import { initializer } from './managed-stores.ts';
import type {
  InjectionConfig,
  MemoryAddOptions,
  MemoryAddResult,
  MemoryManagerOptions,
  MemorySearchOptions,
  MemorySearchToolConfig,
} from './manager-options.ts';
import { memoryRenderer } from './memory-injection.ts';
import { isReadable, readTool } from './read-tool.ts';
import { type SearchContext, searchStores } from './search.ts';
import { DEFAULT_TOKENS, searchTool } from './search-tool.ts';
import { telemetry } from './telemetry.ts';
import { withDeadline } from './within.ts';

/** So many conversations are known by their ids; the one that was asked for longest ago goes first. */
const MAX_CONVERSATIONS = 1_000;

/**
 * Gives agents long-term memory from one or more stores: what is known comes into the model's input by itself
 * (injection) and by tools, and conversations become memories (extraction).
 *
 * One manager serves all conversations of the same scope. It opens and closes no store. Disposing of it saves what is
 * outstanding.
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
  /** What tools have accepted and are still to write. */
  readonly #writes = new Set<Promise<unknown>>();
  readonly #conversations = new Map<string, Conversation>();

  /** @throws MemoryError `INVALID_ARGUMENT` for whatever can't work, with the store's name. */
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
   * What the stores know that fits a text, best first. Stores are asked at the same time. One that fails or does not
   * answer in time is left out, and reported. Entries of the same content are given once.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for unknown stores, `BACKEND` when every store failed, `ABORTED`.
   */
  async search(query: string, options?: MemorySearchOptions): Promise<MemoryEntry[]> {
    if (options !== undefined) expectFields(options, '', SEARCH);
    return searchStores(this.#context, query, options);
  }

  /**
   * Writes a text to stores, at the same time. Nothing is written where one of them can't take it.
   *
   * @throws MemoryError `INVALID_ARGUMENT`, `READ_ONLY`, `UNSUPPORTED`, `TOO_LARGE` or `ABORTED`, before anything is
   *   written.
   * @throws AggregateError of a MemoryError for each store that failed; its message says which did not.
   */
  async add(content: string, options?: MemoryAddOptions): Promise<MemoryAddResult[]> {
    if (options !== undefined) expectFields(options, '', ADD);
    return addToStores(this.#context, content, options);
  }

  /** The tools for models: the manager's own and those of the stores, which never change. */
  tools(): MemoryTool[] {
    return [...this.#tools];
  }

  /**
   * A conversation: the one of that id, else a new one. Without an id, it gets one of its own.
   *
   * @param options - `id`: the thread, 1 to 512 characters.
   */
  conversation(options: { readonly id?: string | undefined } = {}): Conversation {
    expectFields(options, '', { id: anything });
    const { id = uuidv7() } = options;
    const conversation =
      this.#conversations.get(id) ?? openConversation(id, this.#extraction.conversation(id), this.#injection);
    // Deleted first, so that it is the last to go.
    this.#conversations.delete(id);
    this.#conversations.set(id, conversation);
    if (this.#conversations.size > MAX_CONVERSATIONS) {
      this.#conversations.delete(this.#conversations.keys().next().value as string);
    }
    return conversation;
  }

  /**
   * Saves everything that was observed, waits for what tools are writing, and says of each store how many messages it
   * saved and failed to. What comes meanwhile is waited for too, up to a minute.
   */
  flush(options?: { readonly throwOnFailure?: boolean | undefined }): Promise<FlushResult> {
    return this.#extraction.flush(options);
  }

  /** Finishes what a process before this one left in the outbox. */
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
