import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { SqliteSession, SqliteStore } from '../../src/index.ts';
import type { State } from './plan.ts';

/** Everything in a file. Fails unless the file is intact, and the index has exactly the records. */
export async function readAll(file: string): Promise<State> {
  const database = new DatabaseSync(file);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  const store = new SqliteStore({ file, name: 'memory' });
  const records = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = await store.list({ order: 'oldest', limit: 1_000, cursor });
    for (const { id, content } of page.items) records.set(id, content);
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(await store.search('heron', { maxSearchResults: 10_000 })).toHaveLength(records.size);
  for (const [id, content] of [...records].slice(-3)) {
    const [, , word] = content.split(' ');
    expect((await store.search(String(word))).map((entry) => entry.id)).toContain(id);
  }
  // It may still save the index.
  await store.close();
  return { items: await new SqliteSession({ file, sessionId: 's' }).getItems(), records };
}
