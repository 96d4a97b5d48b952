import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { runProgram } from '@keepsake/testing';
import { ChatServer } from '@keepsake/testing/chat-server';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

const program = (name: string) => join(import.meta.dirname, `../src/${name}.ts`);

let database: PostgresServer;

beforeAll(async () => {
  database = await startPostgres();
  // Twice, as with each release.
  for (let count = 0; count < 2; count++) {
    expect(await runProgram(program('setup'), [], { environment: { DATABASE_URL: database.url } })).toMatchObject({
      status: 0,
      stderr: '',
    });
  }
});

afterAll(() => database?.stop());

const start = () => ChatServer.start(program('server'), { DATABASE_URL: database.url });

async function titles(server: ChatServer, user: string): Promise<string[]> {
  const listed = (await (await fetch(`${server.url}/${user}`)).json()) as { title: string }[];
  return listed.map(({ title }) => title);
}

it('two processes know what each was told, of that user alone, and a killed one loses nothing', async () => {
  const [one, two] = await Promise.all([start(), start()]);
  await one.say('alice', 'monday', 'I am allergic to saffron.');
  await two.say('bob', 'monday', 'I am allergic to pollen.');
  await expect.poll(() => two.say('alice', 'friday', 'What am I allergic to?')).toContain('to saffron');
  const asked = await one.say('bob', 'friday', 'What am I allergic to?');
  expect(asked).toContain('to pollen');
  expect(asked).not.toContain('saffron');
  await one.say('carol', 'move', 'I have lived in Tromsø.');
  await one.end('SIGKILL');
  // The next process learns what was not learned yet.
  const next = await start();
  await expect.poll(() => two.say('carol', 'asks', 'Did I live in Tromsø?')).toContain('>I have lived in Tromsø.');
  expect(await next.end('SIGTERM')).toBe(0);
  expect(await titles(two, 'alice')).toEqual(['What am I allergic to?', 'I am allergic to saffron.']);
  expect(await titles(two, 'bob')).toEqual(['What am I allergic to?', 'I am allergic to pollen.']);
  expect(await two.end('SIGTERM')).toBe(0);
});

it('a message whose chat the database refuses is not kept', async () => {
  const server = await start();
  await server.say('alice', 'fugu', 'Hello');
  const pool = new Pool({ connectionString: database.url });
  onTestFinished(() => pool.end());
  await pool.query(`ALTER TABLE chats ADD CHECK (chat <> 'poison')`);
  await expect(server.say('alice', 'poison', 'Keep this.')).rejects.toThrow('500: Something went wrong.');
  await pool.query('ALTER TABLE chats DROP CONSTRAINT chats_chat_check');
  expect(await server.say('alice', 'poison', 'Hello again')).not.toContain('Keep this.');
});

it('a server without a database says what it needs', async () => {
  const environment = { DATABASE_URL: undefined };
  const { stderr, status } = await runProgram(program('server'), [], { environment });
  expect([status, stderr]).toEqual([1, expect.stringContaining('Set DATABASE_URL')]);
});
