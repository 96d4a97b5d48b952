import {
  type Embedder,
  InvocationTrigger,
  type MemoryEntry,
  MemoryManager,
  type Message,
  messageText,
  recentItems,
} from '@keepsake/core';
import { openConversations } from './conversations.ts';
import { LastStatement } from './corrections.ts';
import { matchesOf, saysAnyOf } from './matches.ts';
import { newestFirst, type Recollection } from './newest-first.ts';
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
  /** The matching memories, best first, and of those about the same thing the newest first. */
  readonly recalled: readonly Recollection[];
  readonly signal: AbortSignal;
}

export type Agent = Awaited<ReturnType<typeof openAgent>>;

/** The most memories that are looked at to forget some of them. */
const MATCHES = 1_000;

/**
 * An agent with memory: it starts a new conversation and remembers all earlier ones in a directory.
 *
 * @param options.embedder - Finds memories by meaning, too.
 */
export async function openAgent(directory: string, mind: Mind, options: { readonly embedder?: Embedder } = {}) {
  // The current conversation …
  const conversations = openConversations(directory);
  let session = conversations.begin();
  // … and the memories of earlier ones: the messages word for word, so that learning needs no model.
  const store = new NotingStore({
    directory,
    name: 'chats',
    namespace: ['demo', 'chats'],
    extraction: { trigger: new InvocationTrigger(), filter: withoutQuestions },
    ...options,
  });
  const memory = new MemoryManager({ stores: [store] });
  let conversation = memory.conversation({ id: session.id });
  let last: Message[] = [];
  const statement = new LastStatement();

  /** Answers after everything that was said is on disk, so a power failure after the answer loses nothing. */
  async function reply(text: string, signal: AbortSignal) {
    const said: Message = { role: 'user', content: text };
    last = [said];
    await session.addItems([said]);
    const history = await recentItems(session, { maxTurns: 20 });
    store.beginTurn();
    const messages = await conversation.inject(history, { signal });
    // What the newest message got; earlier messages keep what they got.
    const blocks = await conversation.blocks(history, { signal });
    const injected = blocks.find(({ index }) => index === history.length - 1)?.text;
    // Injection ignores failures, which must not look like an empty memory.
    const recalled = newestFirst(store.found ?? (await memory.search(text)));
    // Not earlier, or a question would be answered with itself.
    conversation.observe({ role: 'user', content: statement.withCorrected(text) });
    try {
      const answer = await mind.answer({ text, messages, recalled, signal });
      const answered: Message = { role: 'assistant', content: answer };
      last.push(answered);
      await session.addItems([answered]);
      if (mind.hasOwnWords) conversation.observe(answered);
      return { answer, recalled, injected };
    } finally {
      await conversation.endTurn();
      await memory.flush({ throwOnFailure: true });
    }
  }

  /**
   * Removes memories and all messages that say them, also from the disk.
   *
   * @param contents - What the messages say. @default The contents of the memories.
   */
  async function remove(
    entries: readonly MemoryEntry[],
    contents: readonly string[] = entries.map(({ content }) => content),
  ): Promise<void> {
    for (const { id } of entries) if (id !== undefined) await store.delete(id);
    statement.clear();
    await continueWithout(({ content }) => saysAnyOf(messageText({ role: 'user', content }), contents));
    await store.compact();
  }

  /** The conversation goes on under a new id, so that no earlier block of memories is injected again. */
  async function continueWithout(isForgotten: (message: Message) => boolean): Promise<void> {
    session = await conversations.without(isForgotten, session);
    conversation = memory.conversation({ id: session.id });
  }

  return {
    reply,
    latest: (await store.list({ limit: 1, order: 'newest' })).items[0],
    /** The newest memories, and whether there are more. */
    async newest(limit: number) {
      const { items, cursor } = await store.list({ limit, order: 'newest' });
      return { items, hasMore: cursor !== undefined };
    },
    /** The memories that contain all words of a phrase. If there are none, `closest` is the best match. */
    async about(phrase: string) {
      const found = await store.search(phrase, { maxSearchResults: MATCHES });
      return { matches: matchesOf(phrase, found), closest: found[0] };
    },
    /** Removes memories. */
    forget: (entries: readonly MemoryEntry[]) => remove(entries),
    /** Removes what the user said last in this conversation, and the answer. Returns it. */
    async forgetLast(): Promise<string | undefined> {
      const [said] = last;
      if (said === undefined) return undefined;
      // A correction is remembered with the statement before it, which stays.
      await remove(store.added, last.map(messageText));
      store.beginTurn();
      last = [];
      return messageText(said);
    },
    /** Removes all memories and conversations. Returns how many there were. */
    async deleteEverything() {
      const memories = await store.clear();
      await store.compact();
      const deleted = await conversations.deleteAll();
      session = conversations.begin();
      conversation = memory.conversation({ id: session.id });
      statement.clear();
      last = [];
      return { memories, conversations: deleted };
    },
  };
}

/** Questions are not stored as memories, because a question would be its own best answer. The session keeps them. */
function withoutQuestions(message: Message): Message | undefined {
  if (message.role !== 'user') return message;
  const content = statementsIn(messageText(message));
  return content === '' ? undefined : { ...message, content };
}
