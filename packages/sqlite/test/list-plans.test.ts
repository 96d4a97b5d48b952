import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../src/database/connection.ts';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

it.each(['newest', 'oldest'] as const)('a page of a list is read in its order by an index, %s first', async (order) => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  await store.putMany(Array.from({ length: 300 }, (_, n) => ({ id: `${n}`, content: 'tea' })));
  await store.delete('7');
  const all = vi.spyOn(Connection.prototype, 'all');
  onTestFinished(() => all.mockRestore());
  const first = await store.list({ order, limit: 10 });
  await store.list({ order, limit: 10, cursor: first.cursor });
  const sent = all.mock.calls.filter(([sql]) => /ORDER BY created/.test(sql));
  expect(sent).toHaveLength(2);
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  for (const [sql, ...values] of sent) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as string[]));
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        /SEARCH keepsake_records USING INDEX keepsake_records_by_creation \(namespace=\? AND created[<>]\?\)/,
      ),
    ]);
  }
});
