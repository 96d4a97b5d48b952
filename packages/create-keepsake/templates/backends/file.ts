import { join } from 'node:path';
import { FileSessionStore, FileStore } from '@keepsake/file';

const directory = join(import.meta.dirname, '../.keepsake');

export const sessions = new FileSessionStore({ directory });
export const store = new FileStore({ directory, name: 'chats', extraction: true });

export async function close(): Promise<void> {
  // Nothing is left open.
}
