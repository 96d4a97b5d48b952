import {
  InvocationTrigger,
  type MemoryEntry,
  MemoryManager,
  type Message,
  messageText,
  recentItems,
} from '@keepsake/core';
import { uuidv7 } from '@keepsake/core/adapter';
import { FileSession } from '@keepsake/file';
import { NotingStore } from './noting-store.ts';
import { statementsIn } from './sentences.ts';

/** Answers the user: a model, or the memory itself. */
export interface Mind {
  readonly name: string;
  /** Whether its answers contain new information, which must be remembered too. */
  readonly hasOwnWords: boolean;
  answer(turn: Turn): Promise<string>;
}

/** The input of an answer. */
interface Turn {
  /** The user's new message. */
  readonly text: string;
  /** The conversation so far, with memories injected into the user's new message. */
  readonly messages: readonly Message[];
  /** The matching memories, best first. */
  readonly recalled: readonly MemoryEntry[];
  readonly signal: AbortSignal;
}

/** An agent with memory: it starts a new conversation and remembers all earlier ones in a directory. */
export async function openAgent(directory: string, mind: Mind) {
  const id = uuidv7();
  // The current conversation …
  const session = new FileSession<Message>({ directory, sessionId: id });
  // … and the memories of earlier ones: the messages word for word, so that learning needs no model.
  const store = new NotingStore({
    directory,
    name: 'chats',
    namespace: ['demo', 'chats'],
    extraction: { trigger: new InvocationTrigger(), filter: withoutQuestions },
  });
  const memory = new MemoryManager({ stores: [store] });
  const conversation = memory.conversation({ id });

  /** Answers after everything that was said is on disk, so a power failure after the answer loses nothing. */
  async function reply(text: string, signal: AbortSignal) {
    const said: Message = { role: 'user', content: text };
    await session.addItems([said]);
    const history = await recentItems(session, { maxTurns: 20 });
    store.beginTurn();
    const messages = await conversation.inject(history, { signal });
    // What the newest message got; earlier messages keep what they got.
    const blocks = await conversation.blocks(history, { signal });
    const injected = blocks.find(({ index }) => index === history.length - 1)?.text;
    // Injection ignores failures, which must not look like an empty memory.
    const recalled = store.found ?? (await memory.search(text));
    // Not earlier, or a question would be answered with itself.
    conversation.observe(said);
    try {
      const answer = await mind.answer({ text, messages, recalled, signal });
      const answered: Message = { role: 'assistant', content: answer };
      await session.addItems([answered]);
      if (mind.hasOwnWords) conversation.observe(answered);
      return { answer, recalled, injected };
    } finally {
      await conversation.endTurn();
      await memory.flush({ throwOnFailure: true });
    }
  }

  const [latest] = (await store.list({ limit: 1, order: 'newest' })).items;
  return { reply, latest };
}

/** Questions are not stored as memories, because a question would be its own best answer. The session keeps them. */
function withoutQuestions(message: Message): Message | undefined {
  if (message.role !== 'user') return message;
  const content = statementsIn(messageText(message));
  return content === '' ? undefined : { ...message, content };
}
