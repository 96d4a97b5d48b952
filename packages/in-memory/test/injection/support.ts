import {
  type Conversation,
  type InjectionConfig,
  type Logger,
  MemoryManager,
  type MemoryStore,
  type Message,
  messageText,
  type StoreFailure,
} from '@keepsake/core';

export const user = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string): Message => ({ role: 'assistant', content });
export const toolUse = (id: string): Message => ({
  role: 'assistant',
  content: [{ toolUse: { name: 'weather', toolUseId: id, input: {} } }],
});
export const toolResult = (id: string): Message => ({
  role: 'user',
  content: [{ toolResult: { toolUseId: id, content: [{ text: 'Rain' }] } }],
});

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A manager over some stores, and its reported failures. */
export function managerOf(stores: readonly MemoryStore[], injection: InjectionConfig = {}) {
  const reports: StoreFailure[] = [];
  const memory = new MemoryManager({
    stores,
    injection,
    telemetry: { logger: silent, onStoreError: (failure) => void reports.push(failure) },
  });
  return { memory, reports };
}

/** An agent whose model calls are recorded: the messages of each, as sent. */
export class Agent {
  readonly requests: Message[][] = [];
  history: Message[] = [];
  readonly #chat: Conversation;

  constructor(chat: Conversation) {
    this.#chat = chat;
  }

  /** Calls the model with a copy of some messages, by default the whole history. */
  async call(messages: readonly Message[] = this.history): Promise<Message[]> {
    const request = await this.#chat.inject(structuredClone(messages) as Message[]);
    this.requests.push(request);
    return request;
  }

  /** Asks, calls tools, and answers. Returns the last request. */
  async turn(question: string, { tools = 0, answer = `About ${question}` } = {}): Promise<Message[]> {
    this.history.push(user(question));
    let request = await this.call();
    for (let index = 0; index < tools; index++) {
      const id = `${this.history.length}`;
      this.history.push(toolUse(id), toolResult(id));
      request = await this.call();
    }
    this.history.push(assistant(answer));
    await this.#chat.endTurn();
    return request;
  }
}

/** The entries of the memory blocks in a text or a message. */
export function entriesIn(value: string | Message | undefined): string[] {
  const text = typeof value === 'object' ? messageText(value) : (value ?? '');
  return [...text.matchAll(/<entry [^>]*>([^<]*)</g)].map(([, content = '']) => content);
}
