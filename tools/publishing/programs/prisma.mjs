// Sessions and a store of two clients that speak Prisma's raw queries, on the SQLite of Node, made by the migrations of the package.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { PrismaSession, PrismaSessionStore, PrismaStore } from '@keepsake/prisma';

const file = join(mkdtempSync(join(tmpdir(), 'keepsake-')), 'test.db');
const home = dirname(fileURLToPath(import.meta.resolve('@keepsake/prisma/package.json')));
const migrations = join(home, 'migrations/sqlite');

const database = new DatabaseSync(file);
// The SQLite of Node before 22.16 binds repeated parameters wrongly. It is known by its missing FTS5. Users bring another SQLite.
const isUsable = database
  .prepare('PRAGMA compile_options')
  .all()
  .some(({ compile_options }) => compile_options === 'ENABLE_FTS5');
if (isUsable) {
  for (const name of readdirSync(migrations).sort()) database.exec(readFileSync(join(migrations, name), 'utf8'));
}
database.close();

/**
 * What is called of a generated client, which would take a schema and a generator to make.
 *
 * @returns {import('@keepsake/prisma').PrismaLike}
 */
function makeClient() {
  const database = new DatabaseSync(file);
  return {
    /**
     * @template T
     * @param {string} sql
     * @param {any[]} values
     * @returns {Promise<T>}
     */
    $queryRawUnsafe: async (sql, ...values) => /** @type {any} */ (database.prepare(sql).all(...values)),
    $executeRawUnsafe: async (sql, ...values) =>
      Number(database.prepare(sql).run(.../** @type {any[]} */ (values)).changes),
  };
}

const [prisma, other] = [makeClient(), makeClient()];

if (isUsable) {
  await new PrismaSession({ prisma, sessionId: undefined, ttlMs: undefined }).clearSession();
  const session = new PrismaSession({ prisma, sessionId: 'chat-42', ttlMs: 60_000 });
  await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
  const sessions = new PrismaSessionStore({ prisma: other });
  assert.deepEqual(await sessions.open('chat-42').getItems(), [{ role: 'user', content: 'I moved to Lisbon in May.' }]);
  assert.equal((await sessions.list()).items[0]?.sessionId, 'chat-42');
  assert.equal(await sessions.delete('chat-42'), true);

  const store = new PrismaStore({ prisma, name: 'facts', namespace: ['u', 'alice'] });
  await store.add('Alice moved to Lisbon in May.', { topic: 'home' });
  const found = await new PrismaStore({ prisma: other, name: 'facts' })
    .within(['u', 'alice'])
    .search('Where did Alice move to?', { filter: { topic: 'home' } });
  assert.deepEqual(
    found.map(({ content }) => content),
    ['Alice moved to Lisbon in May.'],
  );
} else {
  assert.equal(await new PrismaSession({ prisma, sessionId: 'chat-42' }).getSessionId(), 'chat-42');
  console.log(`Only loading was tried: node:sqlite of Node ${process.versions.node} is too old for this program.`);
}
