// One process writes and ends; another finds it again, in the file and in a backup.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';

const [task, directory = mkdtempSync('memory-')] = process.argv.slice(2);
const file = join(directory, 'memory.db');
const session = new SqliteSession({ file, sessionId: 'chat-42', durability: undefined, ttlMs: undefined });
const facts = new SqliteStore({
  file,
  name: 'facts',
  description: undefined,
  language: undefined,
  embedder: undefined,
  namespace: ['u', 'alice'],
});

if (task === 'write') {
  await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
  await facts.add('Alice lives in Lisbon since May.', { topic: 'home', since: undefined });
  await new SqliteSession({ file, sessionId: undefined }).addItems([{ role: 'user', content: 'Hello' }]);
  await facts.backup(join(directory, 'backup.db'));
} else if (task === 'read') {
  const sessions = new SqliteSessionStore({ file });
  assert.equal((await sessions.list()).items.length, 2);
  assert.deepEqual(await session.getItems(), [{ role: 'user', content: 'I moved to Lisbon in May.' }]);
  // A database that the program opens itself.
  const database = new DatabaseSync(join(directory, 'backup.db'));
  for (const store of [facts, new SqliteStore({ database, name: 'facts', namespace: ['u', 'alice'] })]) {
    const [best] = await store.search('Where does Alice live?', { filter: { topic: 'home' } });
    assert.equal(best?.content, 'Alice lives in Lisbon since May.');
    const bobs = new SqliteStore({ file, name: 'facts', namespace: ['u', 'bob'] });
    assert.deepEqual(await bobs.search('Where does Alice live?'), []);
  }
  assert.equal(await facts.clear(), 1);
  assert.equal(await sessions.delete('chat-42'), true);
  await sessions.compact();
  database.close();
} else {
  for (const step of ['write', 'read']) {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), step, directory], { stdio: 'inherit' });
  }
  rmSync(directory, { recursive: true });
}
