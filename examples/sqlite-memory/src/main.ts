/**
 * Two processes that share a session and a store in one SQLite file:
 *
 * npm start -w examples/sqlite-memory
 *
 * Data is stored in .keepsake/memory.db, or in the file that you pass as an argument.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SqliteStore } from '@keepsake/sqlite';
import { openSession, openStore } from './memory.ts';

const [file = '.keepsake/memory.db'] = process.argv.slice(2);
const session = openSession(file);
const store = openStore(file);

// Both processes write to the same session and store, at the same time.
const rooms = ['kitchen', 'balcony'];
const sessionId = await session.getSessionId();
await Promise.all(rooms.map((room) => runProcess(file, sessionId, room)));

const items = await session.getItems();
const pairs = items.filter(
  (item, index) => item.role === 'user' && items[index + 1]?.content === `Noted: ${item.content}`,
);
console.log(
  `${rooms.length} processes wrote ${items.length} messages. ${pairs.length} notes have their answer beside them.`,
);

for (const question of ['Which plant must not dry out?', 'What hides the spare key?']) {
  const [best] = await store.search(question, { maxSearchResults: 1 });
  console.log(`${question}\n  ${best?.metadata?.room}: ${best?.content}`);
}

// A copy of the whole database. Other processes can keep writing meanwhile.
const copy = `${file}.backup`;
rmSync(copy, { force: true });
await store.backup(copy);
const erased = await store.clear();
const { items: kept } = await new SqliteStore({ file: copy, name: 'notes', namespace: store.namespace }).list();
console.log(`Erased ${erased} memories. The backup has ${kept.length}.`);

async function runProcess(...args: string[]): Promise<void> {
  const program = fileURLToPath(new URL('process.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], { stdio: 'inherit' });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`A process failed with exit code ${status}.`);
}
