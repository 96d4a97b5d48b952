import { expect } from '../common/expect.ts';
import type { Message } from '../model/message.ts';
import type { ConversationBuffer } from './extraction/extraction.ts';
import { ConversationTurns } from './injection/conversation-turns.ts';
import { createInjector, type InjectedBlock, type InjectOptions, type InjectorSettings } from './injection/injector.ts';
import type { InjectedConversation } from './injection/memory-injection.ts';

/** A conversation that a manager follows. */
export interface Conversation {
  /** The id of the conversation, which is the thread of its memories. */
  readonly id: string;
  /**
   * Returns a copy of the messages with memory: a block at the end of the user's last message, and the blocks of earlier
   * messages where they were. So everything before the user's last message is the same from call to call, and prompt caches
   * stay valid. Without a new block if there is nothing new to say, it takes too long, or something fails.
   *
   * Messages are recognized by their text and order, so they can be copies, and old ones can be gone or summarized. Earlier
   * blocks are injected with the trigger `userTurn` only.
   */
  inject(messages: readonly Message[], options?: InjectOptions): Promise<Message[]>;
  /** What `inject` would append, and to which messages, in their order; for other message formats. */
  blocks(messages: readonly Message[], options?: InjectOptions): Promise<readonly InjectedBlock[]>;
  /** The same as one text, for a format with a single place, such as instructions. */
  block(messages: readonly Message[], options?: InjectOptions): Promise<string | undefined>;
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
  injection: ((conversation: InjectedConversation) => InjectorSettings) | undefined,
): Conversation {
  const turns = new ConversationTurns();
  const recalled: InjectedConversation['recalled'] = (...block) => buffer.recalled(...block);
  const injector = injection && createInjector(injection({ id, recalled }), (messages) => turns.of(messages));
  return {
    id,
    inject: async (messages, options) => injector?.inject(listOf(messages), options) ?? [...listOf(messages)],
    blocks: async (messages, options) => injector?.blocks(listOf(messages), options) ?? [],
    block: async (messages, options) => injector?.block(listOf(messages), options),
    observe: (...messages) => buffer.observe(messages),
    endTurn(options) {
      turns.end();
      return buffer.endTurn(options);
    },
  };
}

/** Failures never keep an injection from its messages, but a text is a mistake: its characters are no messages. */
function listOf(messages: readonly Message[]): readonly Message[] {
  expect(Array.isArray(messages), '`messages` must be an array of messages.');
  return messages;
}
