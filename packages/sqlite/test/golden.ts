import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';

export const GOLDEN_NAMESPACE = ['agent', 'u:Älice'];
export const GOLDEN_EMBEDDER = WORD_EMBEDDER;

/** Everything that is read from a golden file. */
export async function readGolden(file: string) {
  const sessions = new SqliteSessionStore({ file });
  const { items: listed } = await sessions.list();
  const items: Record<string, object[]> = {};
  for (const { sessionId } of listed) items[sessionId] = await sessions.open(sessionId).getItems();
  const root = new SqliteStore({ file, name: 'memory' });
  const words = root.within(GOLDEN_NAMESPACE);
  const hybrid = new SqliteStore({ file, name: 'memory', namespace: GOLDEN_NAMESPACE, embedder: GOLDEN_EMBEDDER });
  const found = async (store: SqliteStore | typeof words, query: string, filter = {}) =>
    (await store.search(query, { maxSearchResults: 5, filter })).map(({ id }) => id);
  return {
    sessions: listed,
    items,
    root: (await root.list()).items,
    records: (await words.list({ order: 'oldest', limit: 1_000 })).items,
    namespaces: (await root.namespaces()).items,
    found: {
      words: await found(words, 'heron river'),
      filtered: await found(words, 'heron', { even: true, n: { gt: 10 } }),
      hybrid: await found(hybrid, 'heron river'),
      cjk: await found(words, '茶'),
    },
  };
}
