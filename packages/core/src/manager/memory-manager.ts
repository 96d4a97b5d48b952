import { LruMap, untilAborted } from '@keepsake/internal';
import { type Check, expectFields, expectKnownFields } from '../common/check-fields.ts';
import { expect } from '../common/expect.ts';
import { uuidv7 } from '../common/uuid.ts';
import type { MemoryModel } from '../model/model.ts';
import type { MemoryTool } from '../model/tool.ts';
import type { MemoryEntry, MemoryStore } from '../store/memory-store.ts';
import type { Page, PageOptions } from '../store/page.ts';
import { throwIfAborted } from '../store/store-options.ts';
import { type Conversation, openConversation } from './conversation.ts';
import type { DeadLetter } from './extraction/dead-letters.ts';
import { Extraction } from './extraction/extraction.ts';
import { addResults, expectSaved, type FlushResult } from './extraction/flush-result.ts';
import { checkForOptions, type ForOptions, optionsOfUser, usersIn } from './for-user.ts';
import { Forgotten } from './injection/forgotten.ts';
import type { InjectorSettings } from './injection/injector.ts';
import { type InjectedConversation, memoryRenderer } from './injection/memory-injection.ts';
import { listStores } from './list.ts';
import { ADD, checkOptions, SEARCH, settings } from './options/check-options.ts';
import { consoleLogger } from './options/logger.ts';
import { initializer } from './options/managed-stores.ts';
import type {
  InjectionConfig,
  ListedMemory,
  MemoryAddOptions,
  MemoryAddResult,
  MemoryForgetOptions,
  MemoryForgetResult,
  MemoryListOptions,
  MemoryManagerOptions,
  MemorySearchOptions,
} from './options/manager-options.ts';
import { circuitBreakers } from './search/circuit-breaker.ts';
import { failureReporter } from './search/failures.ts';
import { type SearchContext, searchStores } from './search/search.ts';
import { telemetry } from './search/telemetry.ts';
import { addToStores } from './tools/add.ts';
import { forgetInStores } from './tools/forget.ts';
import { managerTools } from './tools/manager-tools.ts';
import { checkTurn, runTurn, type TurnAnswer, type TurnOptions, type TurnResult } from './turn.ts';
import { UserManagers } from './user-managers.ts';

/** The number of conversations kept by id. */
const MAX_CONVERSATIONS = 1_000;

/** Which conversation. */
export interface ConversationOptions {
  /**
   * The thread, 1 to 512 characters.
   *
   * @default A new id.
   */
  readonly id?: string | undefined;
  /** The agent's own model. Extracts memories if the manager has no model. */
  readonly model?: MemoryModel | undefined;
}

/** How to wait for the stores. */
export interface ReadyOptions {
  readonly signal?: AbortSignal | undefined;
}

const CONVERSATION = { id: 'anything', model: ['generate'] } satisfies Record<keyof ConversationOptions, Check>;

/**
 * Gives agents long-term memory from one or more stores: memories reach the model automatically (injection) and through
 * tools, and conversations become memories (extraction).
 *
 * One manager serves all conversations of the same scope, and {@link MemoryManager.for} gives that of a user. It does not
 * open or close stores. Disposing of it saves pending messages.
 *
 * @example
 * const memory = new MemoryManager({ stores: [store] });
 * const reply = await memory.for({ user: 'alice' }).turn({
 *   thread: 'thread-42',
 *   messages: [{ role: 'user', content: 'Book me a seat to Oslo.' }],
 *   answer: (messages) => callYourModel(messages),
 * });
 */
export class MemoryManager {
  readonly #options: MemoryManagerOptions;
  readonly #context: SearchContext;
  readonly #extraction: Extraction;
  readonly #tools: readonly MemoryTool[];
  readonly #injection: ((conversation: InjectedConversation) => InjectorSettings) | undefined;
  /** Writes that tools have accepted and not finished. */
  readonly #writes = new Set<Promise<unknown>>();
  readonly #conversations = new LruMap<string, Conversation>(MAX_CONVERSATIONS);
  readonly #forgotten = new Forgotten();
  readonly #users = new UserManagers<MemoryManager>({
    create: (user) => this.#create(user),
    isQuiet: (manager) => manager.#extraction.isQuiet && manager.#writes.size === 0,
    close: (manager) => manager.#extraction.close(),
  });
  #timeZone: string;
  #opening: Promise<unknown> | undefined;
  /** For the manager of a user: the managers that it is one of. */
  #siblings: UserManagers<MemoryManager> | undefined;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options, with the store's name. */
  constructor(managerOptions: MemoryManagerOptions) {
    const options = checkOptions(managerOptions);
    const { model, outbox, injection = true } = options;
    const { ranking = 'fused', deadlineMs = 2_000 } = options.search;
    const { maxBuffered = 10_000, timeZone = 'UTC' } = options.extraction;
    const { logger = consoleLogger, onStoreError, recordContent = false } = options.telemetry;
    this.#timeZone = timeZone;
    this.#options = options;
    this.#context = {
      stores: options.stores,
      ranking,
      deadlineMs,
      initialize: initializer(),
      breakerOf: circuitBreakers(deadlineMs),
      report: failureReporter(logger, onStoreError),
      span: telemetry(recordContent),
    };
    const writes = this.#writes;
    const { tools, recallTools } = managerTools(options, this.#context, {
      search: this.search.bind(this),
      add: this.add.bind(this),
      forget: this.forget.bind(this),
      writes,
    });
    this.#tools = tools;
    const learning = { logger, model, outbox, maxBuffered, recallTools, writes };
    this.#extraction = new Extraction({ ...this.#context, ...learning, timeZone: () => this.#timeZone });
    if (injection === false) return;
    const config: InjectionConfig = settings(injection);
    this.#injection = (conversation) => ({
      render: memoryRenderer(config, this.#context, conversation, this.#forgotten),
      trigger: config.trigger ?? 'userTurn',
      deadlineMs,
      logger,
    });
  }

  /**
   * Connects to every store and lets it open its index, by a search. Call it when a server starts, or before its first turn:
   * then no turn has to wait for that within its deadline, and a store that can't be used is noticed. Once it has resolved,
   * later calls do nothing.
   *
   * @throws the error of a store that failed, which says what to do; `ABORTED`, while the stores go on opening.
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    const { signal } = expectKnownFields(options, { signal: true });
    throwIfAborted(signal);
    const opening = this.#openStores();
    try {
      await (signal ? untilAborted(signal, () => opening) : opening);
    } catch (error) {
      throwIfAborted(signal);
      throw error;
    }
  }

  #openStores(): Promise<unknown> {
    const open = async (store: MemoryStore) => {
      await this.#context.initialize(store);
      await store.search('ready', { maxSearchResults: 1 });
    };
    this.#opening ??= Promise.all(this.#context.stores.map(open));
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /**
   * Searches all stores concurrently, best first. A store that fails or exceeds the deadline is left out and reported.
   * Entries with the same content are returned once.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for unknown stores, `BACKEND` if every store failed, `ABORTED`.
   */
  async search(query: string, options: MemorySearchOptions = {}): Promise<MemoryEntry[]> {
    return searchStores(this.#context, query, expectKnownFields(options, SEARCH));
  }

  /**
   * Writes a text to stores concurrently. Writes nothing if one of them can't accept it.
   *
   * @throws MemoryError `INVALID_ARGUMENT`, `READ_ONLY`, `UNSUPPORTED`, `TOO_LARGE` or `ABORTED`, before anything is
   *   written.
   * @throws AggregateError with a MemoryError for each store that failed; its message names the stores that succeeded.
   */
  async add(content: string, options: MemoryAddOptions = {}): Promise<MemoryAddResult[]> {
    const checkedOptions = expectKnownFields(options, ADD);
    this.#siblings?.use(this);
    return addToStores(this.#context, content, checkedOptions);
  }

  /** The tools for models: the manager's own and those of the stores. The list never changes. */
  tools(): MemoryTool[] {
    return [...this.#tools];
  }

  /**
   * Does everything around one answer of your model: adds what is known to its input, learns what was said, and ends the
   * turn. Resolves to what `answer` returned, or to a stream that passes it on; the turn then ends with the stream.
   *
   * If `answer` fails or is aborted, or the stream is not read to its end, the turn has failed: the user's words are learned,
   * but no answer. Asking again with the same words does not learn them twice.
   *
   * @throws MemoryError `INVALID_ARGUMENT` before `answer` is called, or if it returns something else; `ABORTED`.
   * @throws whatever `answer` throws.
   */
  async turn<Answer extends TurnAnswer>(options: TurnOptions<Answer>): Promise<TurnResult<Answer>> {
    const turn = checkTurn(options);
    const { thread: id, model } = turn;
    return runTurn(this.conversation({ id, model }), turn);
  }

  /**
   * The manager of a user: the same options, with the place of that user in each store and in the outbox, `['u', user]` as in
   * `@keepsake/namespaces`. The same manager each time for the most recent users; there is nothing to close. Flushing or
   * disposing of this manager includes those of users.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if a store has no `within`, or this is the manager of a user already.
   */
  for(options: ForOptions): MemoryManager {
    const { user, timeZone } = checkForOptions(options);
    expect(!this.#siblings, 'This is the manager of a user. Call for() on the manager that it comes from.');
    const manager = this.#users.at(user);
    if (timeZone !== undefined) manager.#timeZone = timeZone;
    return manager;
  }

  /**
   * A conversation: the one with that id, or a new one with a new id.
   *
   * @throws MemoryError `INVALID_ARGUMENT` if a store's extraction needs a model and neither this nor the manager has one.
   */
  conversation(options: ConversationOptions = {}): Conversation {
    const { id = uuidv7(), model } = expectFields(options, '', CONVERSATION);
    const buffer = this.#extraction.conversation(id, model);
    const observe: typeof buffer.observe = (messages) => {
      this.#siblings?.use(this);
      buffer.observe(messages);
    };
    return this.#conversations.getOrCreate(id, () => openConversation(id, { ...buffer, observe }, this.#injection));
  }

  /**
   * What is remembered: the records of the stores, newest first, page by page.
   *
   * @throws MemoryError `INVALID_ARGUMENT`; `UNSUPPORTED` for stores that can't list their records; `ABORTED`; the code of a
   *   store that fails, because a part would look like the whole.
   */
  async list(options?: MemoryListOptions): Promise<Page<ListedMemory>> {
    return listStores(this.#context, options);
  }

  /**
   * Deletes memories for good and returns what they were. Deletes nothing if one of them is in a store that can't delete.
   * Conversations of this manager stop showing them.
   *
   * @throws MemoryError `INVALID_ARGUMENT`, `READ_ONLY`, `UNSUPPORTED`, `ABORTED`, or the code of a store that can't be read,
   *   before anything is deleted.
   * @throws AggregateError with a MemoryError for each store that failed; its message names the stores that succeeded.
   */
  async forget(options: MemoryForgetOptions): Promise<MemoryForgetResult> {
    return forgetInStores(this.#context, options, (ids) => this.#forgotten.add(ids));
  }

  /**
   * Saves everything observed and waits for pending tool writes, of users, too. Returns the number of saved and failed
   * messages per store. Also waits for new messages, up to a minute.
   *
   * @throws MemoryError `BACKEND` with `throwOnFailure`, if a store could not save everything.
   */
  async flush(options: { readonly throwOnFailure?: boolean | undefined } = {}): Promise<FlushResult> {
    const { throwOnFailure } = expectKnownFields(options, { throwOnFailure: true });
    const result = addResults(await Promise.all([this.#extraction.flush(), this.#users.flush()]));
    if (throwOnFailure === true) expectSaved(result);
    return result;
  }

  /** Saves messages that earlier processes left in the outbox, of users, too. */
  async recover(): Promise<FlushResult> {
    this.#siblings?.use(this);
    const own = await this.#extraction.recover();
    const { outbox, stores } = this.#options;
    if (outbox === undefined || this.#siblings !== undefined) return own;
    return addResults([own, await this.#users.recover(await usersIn(outbox, stores))]);
  }

  /** The messages that could not be learned and were given up, oldest first. Without an outbox, they are not kept. */
  async deadLetters(options?: PageOptions): Promise<Page<DeadLetter>> {
    return this.#extraction.letters.list(options);
  }

  /**
   * Tries messages again that were given up, each alone. Those that are saved are no longer dead letters.
   *
   * @param ids - Which ones. Unknown ids are ignored. @default All.
   */
  async retryDeadLetters(ids?: readonly string[]): Promise<FlushResult> {
    return this.#extraction.letters.retry(ids);
  }

  /**
   * Deletes messages for good that were given up. Returns how many there were.
   *
   * @param ids - Which ones. Unknown ids are ignored. @default All.
   */
  async deleteDeadLetters(ids?: readonly string[]): Promise<number> {
    return this.#extraction.letters.delete(ids);
  }

  /** Saves everything, and closes the manager with those of its users. That of a user stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    // Others may use the manager of a user at the same time.
    if (this.#siblings !== undefined) return;
    await Promise.all([this.#users.close(), this.#extraction.close()]);
  }

  #create(user: string): MemoryManager {
    const manager = new MemoryManager(optionsOfUser(this.#options, user));
    manager.#siblings = this.#users;
    // A store that hangs does so for all users.
    manager.#context.breakerOf = this.#context.breakerOf;
    return manager;
  }
}
