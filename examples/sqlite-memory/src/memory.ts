import { SqliteSession, SqliteStore } from '@keepsake/sqlite';

type ChatMessage = { role: 'user' | 'assistant'; content: string };

/** Opens a session in the file; without an id, a new one. */
export function openSession(file: string, sessionId?: string): SqliteSession<ChatMessage> {
  return new SqliteSession<ChatMessage>({ file, sessionId });
}

export function openStore(file: string): SqliteStore {
  return new SqliteStore({ file, name: 'notes', namespace: ['u', 'alice'] });
}
