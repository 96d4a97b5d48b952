import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { temporaryFile } from './temporary-file.ts';

export const NAMESPACE = ['agent', 'u:Älice'];
export const EMBEDDER = WORD_EMBEDDER;

/** Writes a new file with sessions and records, so that each table has rows. */
export async function writeFilled(copy: string): Promise<void> {
  const { file, remove } = temporaryFile();
  const sessions = new SqliteSessionStore({ file });
  const chat = sessions.open('chat: Älice');
  await chat.addItems([
    { role: 'user', content: 'Grüße\0 \ud800 💡 \u2028' },
    { n: -0, deep: [{ a: null }] },
  ]);
  await chat.addItems(Array.from({ length: 8 }, (_, n) => ({ n, text: 'long '.repeat(n === 5 ? 1_500 : n) })));
  await chat.applyHistoryTransaction({
    operationId: 'operation 1',
    transaction: { type: 'append_items', items: [{ n: 'by an operation' }] },
  });
  const mortal = new SqliteSessionStore({ file, ttlMs: 1 });
  await mortal.open('expired').addItems([{ n: 1 }]);
  const store = new SqliteStore({ file, name: 'memory', namespace: NAMESPACE, embedder: EMBEDDER });
  await store.putMany(
    // Enough for a saved index.
    Array.from({ length: 600 }, (_, n) => ({
      id: `turn ${n}`,
      content: n % 2 === 0 ? `Where does the heron ${n} fly?` : `It flies to river ${n}.`,
      turn: { thread: `talk ${n % 3}`, index: n, speaker: n % 2 === 0 ? 'user' : 'assistant' },
      metadata: { n, even: n % 2 === 0, kind: 'turn' },
    })),
  );
  await store.put({ id: 'hidden', content: 'A heron that search does not find.', index: false });
  await store.put({ id: 'gone', content: 'A heron.' });
  await store.delete('gone');
  await store.put({ id: 'expired', content: 'A heron.', ttlMs: 1 });
  await new SqliteStore({ file, name: 'memory' }).put({ id: 'root', content: 'A heron.', source: { run: 'r' } });
  await store.search('heron');
  await store.close();
  await store.backup(copy);
  remove();
}

/** Reads everything that {@link writeFilled} wrote, in all ways. */
export async function readFilled(file: string): Promise<void> {
  const sessions = new SqliteSessionStore({ file });
  for (const { sessionId } of (await sessions.list()).items) await sessions.open(sessionId).getItems();
  const root = new SqliteStore({ file, name: 'memory' });
  const words = root.within(NAMESPACE);
  const hybrid = new SqliteStore({ file, name: 'memory', namespace: NAMESPACE, embedder: EMBEDDER });
  await root.list();
  await words.list({ order: 'oldest', limit: 1_000 });
  await root.namespaces();
  await words.search('heron river');
  await words.search('heron', { filter: { even: true, n: { gt: 10 } } });
  await hybrid.search('heron river');
  await root.search('heron river', { descendants: true });
}
