import type { Message } from '../message.ts';
import type { ConversationBuffer } from './extraction.ts';
import { type ContextInjectorOptions, createInjector, turnsByText } from './injector.ts';

/** One conversation, as a manager follows it. */
export interface Conversation {
  /** Names the conversation: the thread of what is remembered of it. */
  readonly id: string;
  /**
   * A copy of the messages with memory at the end of what the user asks last; without memory where there is none, it
   * can't be had in time, or something fails. Everything before that place stays the same from call to call, which
   * keeps the prompt caches of models warm.
   */
  inject(messages: readonly Message[], options?: { readonly signal?: AbortSignal | undefined }): Promise<Message[]>;
  /** The text that `inject` would append, for messages of another form. */
  block(
    messages: readonly Message[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  /** Hands over what was said, in order, each message once: what is new since the last time. Returns at once. */
  observe(...messages: readonly Message[]): void;
  /**
   * Says that the turn is over. One that failed or was cancelled doesn't count. The promise is fulfilled once what was
   * observed would survive the end of the process, where the manager has an outbox; else at once.
   */
  endTurn(options?: { readonly failed?: boolean | undefined }): Promise<void>;
}

/** What recalls and what learns, as one. */
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
