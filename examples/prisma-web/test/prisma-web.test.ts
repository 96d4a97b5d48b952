import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '@keepsake/services';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../src/app.ts';
import { openDatabase } from '../src/database.ts';

const TALK = `
POST /alice I have moved to Lisbon.
  Noted.
POST /bob My bike is behind the bakery.
  Noted.
POST /alice Where have I moved?
  You said: I have moved to Lisbon.
POST /alice Where is the bike?
  I know nothing about that.
GET /bob 
  user: My bike is behind the bakery.
  assistant: Noted.
DELETE /alice 
  Removed 1 fact.
POST /alice Where have I moved?
  I know nothing about that.
`;

function run(env: NodeJS.ProcessEnv) {
  const node = ['--conditions=@keepsake/source', join(import.meta.dirname, '../src/main.ts')];
  const { stdout, stderr, status } = spawnSync(process.execPath, node, { encoding: 'utf8', env });
  return { stdout, stderr, status };
}

it('the app answers each user from their own facts in SQLite, and deletes them on request', () => {
  const { DATABASE_URL: _, ...env } = process.env;
  expect(run(env)).toEqual({ stdout: `On SQLite.${TALK}`, stderr: '', status: 0 });
});

it('the app does the same in PostgreSQL', async () => {
  const server = await startPostgres();
  try {
    const env = { ...process.env, DATABASE_URL: server.url };
    expect(run(env)).toEqual({ stdout: `On PostgreSQL.${TALK}`, stderr: '', status: 0 });
  } finally {
    await server.stop();
  }
});

it('an empty message is refused and not kept', async () => {
  const database = await openDatabase(undefined);
  const app = createApp(database.prisma).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    app.close();
    await database.stop();
  });
  await once(app, 'listening');
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/alice`;
  const headers = { connection: 'close' };
  const response = await fetch(url, { method: 'POST', body: ' ', headers });
  expect([response.status, await response.text()]).toEqual([400, 'Send a message as the body.']);
  expect(await (await fetch(url, { headers })).text()).toBe('');
});
