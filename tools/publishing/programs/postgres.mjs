// Sessions and a store over a client that speaks the interface of pg and notes what it is sent: no driver is installed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '@keepsake/postgres';

/** @type {string[]} */
const sent = [];
let hasTables = false;

/** @param {{ readonly text: string }} statement */
function answer({ text }) {
  if (text.includes('to_regclass')) return [{ found: hasTables }];
  if (text.includes('FROM keepsake_meta')) return [{ dialect: 'postgresql', version: 1 }];
  if (/SELECT item FROM|keepsake_newest_items/.test(text))
    return [{ item: '{"role":"user","content":"I moved to Lisbon in May."}' }];
  return [];
}

const client = {
  totalCount: 0,
  /** @param {{ readonly text: string, readonly values: unknown[] }} statement */
  async query(statement) {
    sent.push(statement.text);
    const rows = answer(statement);
    return { rows, rowCount: rows.length };
  },
};

await setup(client);
assert.ok(
  sent.some((text) => text.includes('CREATE TABLE IF NOT EXISTS "keepsake_records"')),
  'The package has no migrations.',
);
hasTables = true;

const session = new PostgresSession({ client, sessionId: 'chat-42', ttlMs: undefined, schema: undefined });
await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
assert.match(String(sent.at(-1)), /keepsake_append_items/);
assert.deepEqual(await session.getItems(), [{ role: 'user', content: 'I moved to Lisbon in May.' }]);
assert.deepEqual((await new PostgresSessionStore({ client }).open('chat-42').getItems(1)).length, 1);
const store = new PostgresStore({ client, name: 'facts', namespace: ['u', 'alice'], prepare: true });
assert.equal(await store.get('x'), undefined);

const home = dirname(fileURLToPath(import.meta.resolve('@keepsake/postgres/package.json')));
const help = execFileSync(process.execPath, [join(home, 'dist/keepsake-postgres.js'), '--help'], { encoding: 'utf8' });
assert.match(help, /^Usage: npx keepsake-postgres migrate/);
