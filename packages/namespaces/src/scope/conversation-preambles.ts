import { type Conversation, MemoryManager, type MemoryStore, type Message } from '@keepsake/core';
import type { memoryBlock } from '@keepsake/core/adapter';
import { LruMap } from '@keepsake/internal';

/** The number of conversations whose preambles are kept. */
const MAX_CONVERSATIONS = 1_000;

/** A preamble and its memories. */
export interface PreambleBlock extends ReturnType<typeof memoryBlock> {
  /** Whether the memories are of an older layout, below the namespace of the scope. */
  readonly areOlder: boolean;
}

/** What the preambles of a scope are made of. */
export interface PreambleScope {
  /** The maximum number of memories and tokens of a preamble. */
  readonly limits: { readonly maxEntries: number; readonly maxTokens: number };
  source(): MemoryStore;
  /** A preamble of what is known now. */
  block(question: string, signal: AbortSignal | undefined): Promise<PreambleBlock>;
  /** Whether no memory of a preamble was deleted. */
  exist(block: PreambleBlock): Promise<boolean>;
}

/** The input of a model, apart from the preamble. */
export interface TurnInput {
  /** The earlier turns that the model gets to see. */
  readonly before: readonly Message[];
  readonly asked: Message;
  readonly question: string;
  readonly signal: AbortSignal | undefined;
}

/** Adds preambles to the conversations of a space. Each stays as it was, so that prompt caches keep their prefix. */
export class ConversationPreambles {
  readonly #starts = new LruMap<string, { block?: PreambleBlock }>(MAX_CONVERSATIONS);
  readonly #everyTurn = new LruMap<string, Conversation>(MAX_CONVERSATIONS);

  /**
   * Puts one preamble in front of the first message. It is a new one if the conversation is new, if this process does not
   * know it, or if a memory in it was deleted.
   */
  async atStart(key: string, scope: PreambleScope, { before, asked, question, signal }: TurnInput): Promise<Message[]> {
    const start = this.#starts.getOrCreate(key, () => ({}));
    const stays = before.length > 0 && start.block !== undefined && (await scope.exist(start.block));
    const block = stays && start.block ? start.block : await scope.block(question, signal);
    start.block = block;
    const [first = asked, ...rest] = [...before, asked];
    return block.entries.length === 0 ? [first, ...rest] : [prepend(first, block.text), ...rest];
  }

  /** Puts what is new for the question behind it, and earlier preambles behind earlier questions. */
  async onEveryTurn(key: string, scope: PreambleScope, { before, asked, signal }: TurnInput): Promise<Message[]> {
    const conversation = this.#everyTurn.getOrCreate(key, () => {
      const options = { stores: [scope.source()], searchToolConfig: false, injection: scope.limits } as const;
      return new MemoryManager(options).conversation();
    });
    const messages = await conversation.inject([...before, asked], { signal });
    // If the user asks the same again, it is another turn.
    await conversation.endTurn();
    return messages;
  }
}

function prepend(message: Message, text: string): Message {
  const { content } = message;
  return { ...message, content: typeof content === 'string' ? `${text}\n\n${content}` : [{ text }, ...content] };
}
