/** The number of texts to remember per conversation. */
const MAX_TEXTS = 100;

/**
 * The user's words in turns that failed, by conversation, until the next answer. Such a turn is often repeated with the same
 * words, which must not be learned twice.
 */
export class Unanswered<Message> {
  readonly #textOf: (message: Message) => string;
  readonly #said = new WeakMap<object, Set<string>>();

  /** @param textOf - The text of a message of the user, `''` for other messages. */
  constructor(textOf: (message: Message) => string) {
    this.#textOf = textOf;
  }

  /** The messages of a turn without those that only repeat what the user has said in a failed turn. */
  fresh(conversation: object, messages: readonly Message[]): Message[] {
    const said = this.#said.get(conversation);
    return messages.filter((message) => said?.has(this.#textOf(message).trim()) !== true);
  }

  /** Remembers the messages of a turn that failed. */
  failed(conversation: object, messages: readonly Message[]): void {
    const said = this.#said.get(conversation) ?? new Set();
    for (const text of messages.map((message) => this.#textOf(message).trim())) if (text !== '') said.add(text);
    for (const oldest of said) {
      if (said.size <= MAX_TEXTS) break;
      said.delete(oldest);
    }
    this.#said.set(conversation, said);
  }

  /** Forgets the failed turns of a conversation. If the user now says the same, it is new. */
  answered(conversation: object): void {
    this.#said.delete(conversation);
  }
}
