// One process writes and ends; another finds it again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recentItems } from '@keepsake/core';
import { FileSession, FileStore } from '@keepsake/file';

const [task, directory = mkdtempSync('memory-')] = process.argv.slice(2);
const session = new FileSession({ directory, sessionId: 'chat-42' });
const facts = new FileStore({
  directory,
  name: 'facts',
  description: undefined,
  durability: undefined,
  namespace: ['u', 'alice'],
});

if (task === 'write') {
  await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
  await facts.add('Alice lives in Lisbon since May.', { topic: 'home', since: undefined });
  await new FileSession({ directory, sessionId: undefined }).addItems([{ role: 'user', content: 'Hello' }]);
} else if (task === 'read') {
  assert.deepEqual(await recentItems(session, { maxTurns: 10 }), [
    { role: 'user', content: 'I moved to Lisbon in May.' },
  ]);
  const [best] = await facts.search('Where does Alice live?', { filter: { topic: 'home' } });
  assert.equal(best?.content, 'Alice lives in Lisbon since May.');
  const bobs = new FileStore({ directory, name: 'facts', namespace: ['u', 'bob'] });
  assert.deepEqual(await bobs.search('Where does Alice live?'), []);
} else {
  for (const step of ['write', 'read']) {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), step, directory], { stdio: 'inherit' });
  }
  rmSync(directory, { recursive: true });
}
