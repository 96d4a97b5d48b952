import {
  InvocationTrigger,
  type MemoryEntry,
  MemoryManager,
  type Message,
  messageText,
  recentItems,
  uuidv7,
} from '@keepsake/core';
import { FileSession } from '@keepsake/file';
import { NotingStore } from './noting-store.ts';
import { statementsIn } from './sentences.ts';

/** What answers: a model, or the memory itself. */
export interface Mind {
  readonly name: string;
  /** Whether its answers say something of their own, which is to be remembered too. */
  readonly hasOwnWords: boolean;
  answer(turn: Turn): Promise<string>;
}

/** What there is to answer from. */
interface Turn {
  /** What the user says now. */
  readonly text: string;
  /** The conversation so far, with memory folded into what the user says now. */
  readonly messages: readonly Message[];
  /** What is known that fits, best first. */
  readonly recalled: readonly MemoryEntry[];
  readonly signal: AbortSignal;
}

/** An agent that remembers: it begins a new conversation, and knows all those before that a directory holds. */
export async function openAgent(directory: string, mind: Mind) {
  const id = uuidv7();
  // The conversation of now …
  const session = new FileSession<Message>({ directory, sessionId: id });
  // … and what is known from before: what was said, word for word, so that learning takes no model.
  const store = new NotingStore({
    directory,
    name: 'chats',
    namespace: ['demo', 'chats'],
    extraction: { trigger: new InvocationTrigger(), filter: withoutQuestions },
  });
  const memory = new MemoryManager({ stores: [store] });
  const conversation = memory.conversation({ id });

  /** Answers. By then all that was said is on the disk: whoever reads the answer may pull the plug. */
  async function reply(text: string, signal: AbortSignal) {
    const said: Message = { role: 'user', content: text };
    await session.addItems([said]);
    const history = await recentItems(session, { maxTurns: 20 });
    store.beginTurn();
    const messages = await conversation.inject(history, { signal });
    const injected = await conversation.block(history, { signal });
    // Injection fails in silence, and must not look like an empty memory.
    const recalled = store.found ?? (await memory.search(text));
    // Not before, or a question would be answered with itself.
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

/** A question is no knowledge: kept, it would be the best answer to itself. The session has it all the same. */
function withoutQuestions(message: Message): Message | undefined {
  if (message.role !== 'user') return message;
  const content = statementsIn(messageText(message));
  return content === '' ? undefined : { ...message, content };
}
