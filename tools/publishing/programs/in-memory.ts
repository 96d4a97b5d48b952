// Compiled, never run: Node 22 does not have `await using`.
import { InMemoryStore } from '@keepsake/in-memory';

export async function countMemories(): Promise<number> {
  await using store = new InMemoryStore({ name: 'facts' });
  return (await store.list()).items.length;
}
