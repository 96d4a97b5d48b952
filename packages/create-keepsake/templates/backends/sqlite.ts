import { join } from 'node:path';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';

const file = join(import.meta.dirname, '../memory.db');

export const sessions = new SqliteSessionStore({ file });
export const store = new SqliteStore({ file, name: 'chats', extraction: true });

export async function close(): Promise<void> {
  // Nothing is left open.
}
