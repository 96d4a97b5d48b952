/*
 * The compiler must prove that Keepsake's contracts fit those of the frameworks. `tsc` checks this file (npm run
 * typecheck); nothing runs it.
 */
import type {
  AgentInputItem,
  Session as AgentsSession,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents';
import { Agent, run } from '@openai/agents';
import type {
  MemoryManagerConfig,
  MessageData,
  AddMessagesContext as StrandsContext,
  MemoryEntry as StrandsEntry,
  MemoryStore as StrandsStore,
} from '@strands-agents/sdk';
import type { BedrockKnowledgeBaseStore } from '@strands-agents/sdk/vended-memory-stores/bedrock-knowledge-base';
import type {
  DurableSession,
  JsonObject,
  JsonValue,
  MemoryEntry,
  MemoryManagerOptions,
  MemoryRecord,
  MemoryStore,
  Message,
  RecordInput,
  RecordStore,
  SearchOptions,
  Session,
  SessionStore,
} from '../src/index.ts';
import { isMemoryError, recentItems } from '../src/index.ts';

/** A session as an adapter declares it. */
declare class AdapterSession<Item extends object = JsonObject> implements DurableSession<Item> {
  constructor(options: { readonly sessionId?: string });
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: Item[]): Promise<void>;
  popItem(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
  applyHistoryTransaction: DurableSession<Item>['applyHistoryTransaction'];
  applyHistoryMutations: DurableSession<Item>['applyHistoryMutations'];
  replaceHistoryWithCompaction(items: Item[]): Promise<void>;
}

/** A store as an adapter declares it: its options determine the type of `extraction`. */
declare class AdapterStore<Extraction extends boolean | object = boolean> implements RecordStore {
  constructor(options: { readonly name: string; readonly extraction?: Extraction });
  readonly name: string;
  readonly description: string;
  readonly maxSearchResults: number;
  readonly writable: boolean;
  readonly extraction: Extraction;
  readonly namespace: RecordStore['namespace'];
  readonly capabilities: RecordStore['capabilities'];
  search(query: string, options?: SearchOptions): Promise<MemoryEntry[]>;
  add(content: string, metadata?: JsonObject): Promise<MemoryRecord>;
  addMessages: RecordStore['addMessages'];
  get: RecordStore['get'];
  history: RecordStore['history'];
  put: RecordStore['put'];
  putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]>;
  delete: RecordStore['delete'];
  list: RecordStore['list'];
  clear: RecordStore['clear'];
  within: RecordStore['within'];
  namespaces: RecordStore['namespaces'];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function sessionsAreThoseOfTheAgentsSdk(
  session: DurableSession<AgentInputItem>,
  store: SessionStore,
): Promise<void> {
  session satisfies AgentsSession;
  session satisfies SessionHistoryTransactionAwareSession;
  session satisfies SessionHistoryRewriteAwareSession;
  new AdapterSession<AgentInputItem>({}) satisfies SessionHistoryTransactionAwareSession &
    SessionHistoryRewriteAwareSession;
  store.open<AgentInputItem>('id') satisfies AgentsSession;

  // Without a type argument, the item type is inferred from the option of the framework.
  const agent = new Agent({ name: 'a' });
  await run(agent, 'Hello', { session: new AdapterSession({ sessionId: 'id' }) });
  await run(agent, 'Hello', { session: store.open('id') });

  (await recentItems(session, { maxTurns: 1 })) satisfies AgentInputItem[];

  const untyped = new AdapterSession({});
  // @ts-expect-error plain JSON items are not agent items
  untyped satisfies AgentsSession;

  const chat = new AdapterSession<{ readonly text: string }>({});
  // @ts-expect-error items of another type are not agent items
  chat satisfies AgentsSession;
  // @ts-expect-error an item must be an object
  type _Text = Session<string>;

  // @ts-expect-error a plain session has no transactions
  session as Session<AgentInputItem> satisfies SessionHistoryTransactionAwareSession;
}

/** A session of one's own, without a type argument of the contract. */
export class OwnSession implements Session, AgentsSession {
  readonly #items: AgentInputItem[] = [];

  async getSessionId(): Promise<string> {
    return 'own';
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return this.#items.slice(-(limit ?? this.#items.length));
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    this.#items.push(...items);
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    return this.#items.pop();
  }

  async clearSession(): Promise<void> {
    this.#items.length = 0;
  }
}

export function interfacesCanBeItems(): void {
  interface ChatItem {
    role: 'user' | 'assistant';
    text: string;
  }
  const session = new AdapterSession<ChatItem>({});
  session satisfies Session<ChatItem>;
}

export function storesAreThoseOfStrands(
  store: RecordStore,
  record: RecordStore & { readonly extraction: boolean },
  memory: MemoryStore & { readonly extraction?: boolean },
): void {
  store satisfies StrandsStore;
  record satisfies StrandsStore;
  memory satisfies StrandsStore;
  new AdapterStore({ name: 'facts' }) satisfies StrandsStore;
  new AdapterStore({ name: 'facts', extraction: true }) satisfies StrandsStore;
  const extraction = {} as Exclude<NonNullable<StrandsStore['extraction']>, boolean>;
  new AdapterStore({ name: 'facts', extraction }) satisfies StrandsStore;
  ({ stores: [new AdapterStore({ name: 'facts' }), record] }) satisfies MemoryManagerConfig;
  new AdapterStore({ name: 'facts' }) satisfies RecordStore;

  const texts = {} as Omit<AdapterStore, 'extraction'> & { readonly extraction: string };
  // @ts-expect-error a string is not a setting
  texts satisfies StrandsStore;

  const { writable: _, ...closed } = memory;
  // @ts-expect-error `writable` is required
  closed satisfies MemoryStore;
}

export function storesOfStrandsServeAManager(store: StrandsStore, bedrock: BedrockKnowledgeBaseStore): void {
  store satisfies MemoryStore;
  ({ stores: [store, bedrock], addToolConfig: { stores: [bedrock, 'notes'] } }) satisfies MemoryManagerOptions;
  // @ts-expect-error `stores` must be an array
  ({ stores: store }) satisfies MemoryManagerOptions;
}

export function messagesOfStrandsAreMessages(
  messages: MessageData[],
  context: StrandsContext,
  store: RecordStore,
): void {
  messages satisfies Message[];
  void store.addMessages(messages, context);
  ({}) as MemoryEntry satisfies StrandsEntry;
  const plain: Message = { role: 'tool', content: 'found' };
  // @ts-expect-error not the other way round: Strands has neither this role nor string content
  plain satisfies MessageData;
}

export function jsonIsJson(value: JsonValue, error: unknown): void {
  ({ a: [1, 'x', null, { b: true }] }) satisfies JsonObject;
  // @ts-expect-error undefined is not JSON
  ({ a: undefined }) satisfies JsonObject;
  // @ts-expect-error a date is not JSON
  ({ a: new Date() }) satisfies JsonObject;
  // @ts-expect-error a value is not always an object
  value satisfies JsonObject;
  if (isMemoryError(error)) error.code satisfies string;
  // @ts-expect-error the code must be known
  isMemoryError(error, 'NOT_FOUND');
}
