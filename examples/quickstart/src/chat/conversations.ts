import type { Message } from '@keepsake/core';
import { uuidv7 } from '@keepsake/core/adapter';
import { FileSession, FileSessionStore } from '@keepsake/file';

/** The sessions of the chat. The directory can have others, too. */
const PREFIX = 'demo-chat-';

/** A session that knows its id. */
export type ChatSession = FileSession<Message> & { readonly id: string };

/** The conversations of the chat in a directory. */
export function openConversations(directory: string) {
  const sessions = new FileSessionStore({ directory });

  /** A new conversation. Its first message creates it. */
  function begin(): ChatSession {
    const id = `${PREFIX}${uuidv7()}`;
    return Object.assign(new FileSession<Message>({ directory, sessionId: id }), { id });
  }

  async function ids(): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await sessions.list({ idPrefix: PREFIX, cursor });
      found.push(...page.items.map(({ sessionId }) => sessionId));
      cursor = page.cursor;
      if (cursor === undefined) return found;
    }
  }

  return {
    begin,
    /**
     * Copies each conversation that has such messages without them, and deletes the original with its files. Returns what
     * continues the current one.
     */
    async without(isForgotten: (message: Message) => boolean, current: ChatSession): Promise<ChatSession> {
      let continued = begin();
      for (const id of await ids()) {
        const items = await sessions.open<Message>(id).getItems();
        const kept = items.filter((item) => !isForgotten(item));
        if (id !== current.id && kept.length === items.length) continue;
        const copy = begin();
        await copy.addItems(kept);
        await sessions.delete(id);
        if (id === current.id) continued = copy;
      }
      return continued;
    },
    async deleteAll(): Promise<number> {
      const all = await ids();
      for (const id of all) await sessions.delete(id);
      return all.length;
    },
  };
}
