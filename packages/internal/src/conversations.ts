/** What agent frameworks use of a `ConversationMemory` of `@keepsake/conversations`. */
export interface Conversations {
  for<Item extends object>(kind: ConversationKind, options: ConversationNames): ConversationOf<Item>;
}

export type ConversationKind = 'agent' | 'team' | 'workflow';

/** Selects a conversation: the options of `ConversationMemory.for`. */
export interface ConversationNames {
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
}

/** The part of a `ConversationHandle` that agent frameworks use. */
export interface ConversationOf<Item extends object> {
  readonly sessionId: string;
  prepare(options?: { readonly before?: number | undefined }): Promise<PreparedConversation<Item>>;
  begin(run: NewRun<Item>, options: { readonly onClose: () => Promise<unknown> }): Promise<OpenConversationRun<Item>>;
  listRuns(options: {
    readonly status?: RunStatus | undefined;
    readonly limit: number;
  }): Promise<{ readonly items: readonly { readonly runId: string; readonly status: RunStatus }[] }>;
  loadResumableRun(runId: string): Promise<StoredRun<Item> | undefined>;
  loadRun(runId: string): Promise<StoredRun<Item> | undefined>;
  findRun(matches: (item: Item) => boolean): Promise<StoredRun<Item> | undefined>;
  getMessages(): Promise<Item[]>;
}

export interface PreparedConversation<Item> {
  readonly messageHistory: Item[];
  readonly contextInjection: string;
  readonly systemPromptInjection: string;
  readonly metadataInjection: string;
}

export type RunStatus = 'running' | 'completed' | 'paused' | 'error' | 'cancelled';

interface NewRun<Item> {
  readonly runId?: string | undefined;
  readonly items: readonly Item[];
  readonly replaces?: number | undefined;
}

export interface StoredRun<Item> {
  readonly runId: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly items: readonly Item[];
  readonly version: number;
  readonly replaces?: number;
  readonly checkpoint?: unknown;
}

/** The part of an `OpenRun` that agent frameworks use. */
export interface OpenConversationRun<Item> {
  readonly runId: string;
  readonly taken: AbortSignal;
  save(run: EndOfRun<Item>): Promise<SavedRun>;
}

/** The state of a run as it is saved. All fields but `items` are JSON. */
export interface EndOfRun<Item> {
  readonly status: RunStatus;
  readonly items: readonly Item[];
  // biome-ignore lint/suspicious/noExplicitAny: JSON of core, which this package can't import.
  readonly output?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly checkpoint?: any;
  readonly pauseReason?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly error?: any;
  readonly usage?: Record<string, number> | undefined;
}

/** What a save reports. */
export interface SavedRun {
  readonly runId: string;
  readonly stored: boolean;
  /** Failed updates of the summary or the profile. They are retried at the next save. */
  readonly errors: readonly { readonly processor: string; readonly error: unknown }[];
  readonly pending: readonly string[];
}

/** What a conversation adds to the instructions of a model. `''` if there is nothing. */
export function instructionsOf(prepared: Omit<PreparedConversation<unknown>, 'messageHistory'>): string {
  const { systemPromptInjection, contextInjection, metadataInjection } = prepared;
  return [systemPromptInjection, contextInjection, metadataInjection].filter(Boolean).join('\n\n');
}

/** An error as it is stored in a run. */
export function storedError(error: unknown): { readonly name: string; readonly message: string } {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  return { name, message };
}
