import type { Message } from '../model/message.ts';
import type { ConversationBuffer } from './extraction/extraction.ts';
import { createInjector, turnsByText } from './injection/injector.ts';
import type { ContextInjectorOptions } from './injection/injector-options.ts';

/** A conversation that a manager follows. */
export interface Conversation {
  /** The id of the conversation, which is the thread of its memories. */
  readonly id: string;
  /**
   * Returns a copy of the messages with memory at the end of the user's last message. Without memory if there is none, it
   * takes too long, or something fails. Everything before that point stays the same from call to call, so prompt caches stay
   * valid.
   */
  inject(messages: readonly Message[], options?: { readonly signal?: AbortSignal | undefined }): Promise<Message[]>;
  /** The text that `inject` would append, for other message formats. */
  block(
    messages: readonly Message[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  /** Records new messages, in order, each once. Returns at once. */
  observe(...messages: readonly Message[]): void;
  /**
   * Ends the turn. A failed or cancelled turn does not count. With an outbox, the promise is fulfilled once the observed
   * messages would survive a crash; otherwise at once.
   */
  endTurn(options?: { readonly failed?: boolean | undefined }): Promise<void>;
}

/** Combines recall and learning. */
export function openConversation(
  id: string,
  buffer: ConversationBuffer,
  render: ((recalled: ConversationBuffer['recalled']) => ContextInjectorOptions) | undefined,
): Conversation {
  const turns = turnsByText();
  const injector =
    render &&
    createInjector(
      render((...block) => buffer.recalled(...block)),
      turns.of,
    );
  return {
    id,
    inject: async (messages, options) => injector?.inject(messages, options) ?? [...messages],
    block: async (messages, options) => injector?.block(messages, options),
    observe: (...messages) => buffer.observe(messages),
    endTurn(options) {
      turns.end();
      return buffer.endTurn(options);
    },
  };
}
