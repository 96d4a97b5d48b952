import { DatabaseSync } from 'node:sqlite';
import { writeCursor } from '@keepsake/core/adapter';
import { describeHostileText } from '@keepsake/suites/stores/hostile-text';
import { WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';

/** Fails unless all tables of records are empty. */
async function expectNothing(database: DatabaseSync): Promise<void> {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'keepsake_%'")
    .all();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'keepsake_schema');
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    expect([name, database.prepare(`SELECT * FROM ${name}`).all()]).toEqual([name, []]);
  }
}

describeHostileText('SqliteStore', () => {
  const database = new DatabaseSync(':memory:');
  return {
    open: () => new SqliteStore({ database, name: 'memory' }),
    openHybrid: () => new SqliteStore({ database, name: 'memory', embedder: WORD_EMBEDDER }),
    expectNothing: () => expectNothing(database),
  };
});

it('a cursor that a caller made up is refused', async () => {
  const database = new DatabaseSync(':memory:');
  const store = new SqliteStore({ database, name: 'memory' });
  for (const id of ['a', 'b']) {
    await store.put({ id, content: 'tea' });
    await store.within([id]).put({ id, content: 'tea' });
  }
  const sessions = new SqliteSessionStore({ database });
  await sessions.open('s').addItems([{ n: 1 }]);
  for (const position of [-1, 1.5, 1e300, -(2 ** 63), 2 ** 53, 1, '', 'AAAA', "'; DROP TABLE keepsake_records; --"]) {
    const all = [
      store.list({ cursor: writeCursor('records newest', [position]) }),
      store.list({ order: 'oldest', cursor: writeCursor('records oldest', [position]) }),
      sessions.list({ cursor: writeCursor('sessions', [position]) }),
    ];
    const refused = all.map((one) => expect(one, `${position}`).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' }));
    await Promise.all(refused);
  }
  for (const text of ["'; DROP TABLE keepsake_records; --", 'a\0', '\ud800', '%']) {
    const [one] = await Promise.allSettled([store.namespaces({ cursor: writeCursor('namespaces', [text]) })]);
    if (one.status === 'rejected') expect(one.reason, text).toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  expect((await store.list()).items).toHaveLength(2);
});
