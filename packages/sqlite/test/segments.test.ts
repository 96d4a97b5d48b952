import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../src/database/connection.ts';
import { SqliteSessionStore, SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

const item = { role: 'user', content: 'tea' };

it('the namespaces and the sessions of one user are read by an index of segments', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  for (let n = 0; n < 30; n++) {
    await store.within(['agent', 'bot', 'u', `user${n}`]).put({ content: 'tea' });
    await sessions.open(`bot:u:user${n}:s1`).addItems([item]);
  }
  const all = vi.spyOn(Connection.prototype, 'all');
  onTestFinished(() => all.mockRestore());
  expect((await store.namespaces({ segment: 'user7' })).items).toHaveLength(1);
  expect((await sessions.list({ segment: 'user7', idPrefix: 'bot:' })).items).toHaveLength(1);
  const sent = all.mock.calls.filter(([sql]) => /segments/.test(sql));
  expect(sent).toHaveLength(2);
  const database = new DatabaseSync(file);
  for (const [sql, ...values] of sent) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as string[]));
    const steps = plan.map(({ detail }) => String(detail)).filter((step) => /SCAN|SEARCH/.test(step));
    expect(steps[0]).toMatch(/SEARCH .*USING PRIMARY KEY \(segment=\?\)|SEARCH .*segments.*\(segment=\?\)/);
    expect(steps.filter((step) => /SCAN (keepsake|n|s)/.test(step))).toEqual([]);
  }
  database.close();
});

it('nothing is left of the segments of what was removed', async () => {
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  const place = store.within(['u', 'alice', 'u']);
  await store.put({ content: 'tea' });
  await store.within(['u', 'bob']).put({ content: 'tea' });
  // Emptied by its last deletion, by a clear, by a clear from above, and by a clear of expired records.
  await place.put({ id: 'one', content: 'tea' });
  await place.delete('one');
  await place.put({ id: 'one', content: 'tea' });
  await place.clear();
  await place.put({ id: 'one', content: 'tea' });
  await store.within(['u', 'alice']).clear({ descendants: true });
  await place.put({ id: 'one', content: 'tea', ttlMs: 1 });
  await new Promise((resolve) => setTimeout(resolve, 10));
  const listed = (await store.namespaces({ segment: 'alice', empty: true })).items;
  // It can be removed in the background meanwhile.
  const later = (await store.namespaces({ empty: true })).items.filter(({ namespace }) => namespace.includes('alice'));
  expect(listed).toEqual(expect.arrayContaining(later));
  await place.clear();
  const short = new SqliteSessionStore({ file, durability: 'os', ttlMs: 1 });
  await short.open('u:alice:s1').addItems([item]);
  await sessions.open('u:bob:s1').addItems([item]);
  await sessions.open('u:alice:s2').addItems([item]);
  await sessions.delete('u:alice:s2');
  await new Promise((resolve) => setTimeout(resolve, 10));
  await sessions.compact();
  const database = new DatabaseSync(file);
  const segmentsIn = (table: string) =>
    database
      .prepare(`SELECT segment FROM ${table} ORDER BY segment`)
      .all()
      .map(({ segment }) => segment);
  expect(segmentsIn('keepsake_segments')).toEqual(['bob', 'u']);
  expect(segmentsIn('keepsake_session_segments')).toEqual(['bob', 's1', 'u']);
  database.close();
});
