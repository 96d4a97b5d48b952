// Sessions of two clients that speak Prisma's raw queries, on the SQLite of Node, made by the migrations of the package.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { PrismaSession, PrismaSessionStore } from '@keepsake/prisma';

const file = join(mkdtempSync(join(tmpdir(), 'keepsake-')), 'test.db');
const home = dirname(fileURLToPath(import.meta.resolve('@keepsake/prisma/package.json')));
const migrations = join(home, 'migrations/sqlite');

/** What is called of a generated client, which would take a schema and a generator to make. */
function clientOf(path) {
  const database = new DatabaseSync(path);
  return {
    database,
    $queryRawUnsafe: async (sql, ...values) => database.prepare(sql).all(...values),
    $executeRawUnsafe: async (sql, ...values) => Number(database.prepare(sql).run(...values).changes),
  };
}

const [prisma, other] = [clientOf(file), clientOf(file)];
for (const name of readdirSync(migrations).sort()) prisma.database.exec(readFileSync(join(migrations, name), 'utf8'));

const session = new PrismaSession({ prisma, sessionId: 'chat-42', ttlMs: 60_000 });
await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
const sessions = new PrismaSessionStore({ prisma: other });
assert.deepEqual(await sessions.open('chat-42').getItems(), [{ role: 'user', content: 'I moved to Lisbon in May.' }]);
assert.equal((await sessions.list()).items[0]?.sessionId, 'chat-42');
assert.equal(await sessions.delete('chat-42'), true);
