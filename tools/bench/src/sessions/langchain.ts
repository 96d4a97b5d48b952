import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importPeer } from '../peers.ts';
import type { OpenSession, SessionKind } from './session-kind.ts';
import { type Turn, textOf } from './turn.ts';

export interface Message {
  readonly content: unknown;
}

interface History {
  addMessages(messages: readonly Message[]): Promise<void>;
  getMessages(): Promise<readonly Message[]>;
}

export interface Messages {
  readonly HumanMessage: new (text: string) => Message;
  readonly AIMessage: new (text: string) => Message;
  mapChatMessagesToStoredMessages(messages: readonly Message[]): readonly object[];
}

interface ChatHistory {
  readonly InMemoryChatMessageHistory: new () => History;
}

interface FileSystem {
  readonly FileSystemChatMessageHistory: new (options: { sessionId: string; filePath: string }) => History;
}

/** Keeps the given message objects: no copy, no isolation. */
export const langchainInMemory: SessionKind = {
  name: 'InMemoryChatMessageHistory',
  column: 'LangChain',
  async open(_directory, begin = []) {
    const { InMemoryChatMessageHistory }: ChatHistory = await importPeer('@langchain/core/chat_history');
    const toMessages = await converter();
    const history = new InMemoryChatMessageHistory();
    for (const turn of begin) await history.addMessages(toMessages(turn));
    return openHistory(history, toMessages);
  },
};

/**
 * Keeps all sessions of a process in one JSON file, which every message rewrites. It reads the file only once per process,
 * whatever its path, so each directory gets a fresh copy of the module here.
 */
export const langchainFile: SessionKind = {
  name: 'FileSystemChatMessageHistory',
  column: 'LangChain',
  layout: 'langchain',
  async open(directory, begin = []) {
    const filePath = join(directory, 'history.json');
    const toMessages = await converter();
    if (begin.length > 0) {
      const { mapChatMessagesToStoredMessages }: Messages = await importPeer('@langchain/core/messages');
      const messages = mapChatMessagesToStoredMessages(begin.flatMap(toMessages));
      writeFileSync(filePath, JSON.stringify({ '': { chat: { messages } } }));
    }
    const module = `${import.meta.resolve('@langchain/community/stores/message/file_system')}?${directory}`;
    const { FileSystemChatMessageHistory }: FileSystem = await import(module);
    return openHistory(new FileSystemChatMessageHistory({ sessionId: 'chat', filePath }), toMessages);
  },
};

function openHistory(history: History, toMessages: (turn: Turn) => readonly Message[]): OpenSession {
  return {
    append: (turn) => history.addMessages(toMessages(turn)),
    newest: async (count) => (await history.getMessages()).slice(-count).map(({ content }) => String(content)),
  };
}

/** Turns as the peer's own messages, created once each, because an agent has them already. */
export async function converter(): Promise<(turn: Turn) => readonly Message[]> {
  const { HumanMessage, AIMessage }: Messages = await importPeer('@langchain/core/messages');
  const made = new WeakMap<Turn, readonly Message[]>();
  return (turn) => {
    let messages = made.get(turn);
    if (messages === undefined) {
      messages = turn.items.map((item) => new (item.role === 'user' ? HumanMessage : AIMessage)(textOf(item)));
      made.set(turn, messages);
    }
    return messages;
  };
}
