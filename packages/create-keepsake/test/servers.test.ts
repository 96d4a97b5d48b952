import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type GatewayEmulator, type OpenAIEmulator, redirection, startGateway, startOpenAI } from '@keepsake/emulators';
import { type PostgresServer, type RedisServer, startPostgres, startRedis } from '@keepsake/services';
import { runProgram, useDirectory } from '@keepsake/testing';
import { ChatServer } from '@keepsake/testing/chat-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMBINATIONS, makeProject } from './support/make-project.ts';

/** By day, each framework once. At night, all combinations. */
const BY_DAY = ['none-file', 'ai-sdk-redis', 'openai-agents-sqlite'];

const directory = useDirectory();
const started: { stop(): Promise<void> }[] = [];
let openai: OpenAIEmulator;
let gateway: GatewayEmulator;
let redis: RedisServer;

/** Starts a server for the tests of this file. */
async function keep<Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  started.push(server);
  return server;
}

beforeAll(async () => {
  [openai, gateway, redis] = await Promise.all([
    keep(startOpenAI()),
    keep(startGateway((prompt) => `I read: ${textsIn(prompt).join(' | ')}`)),
    keep(startRedis()),
  ]);
  openai.answerWith(({ input }) => `I read: ${textsIn(input).join(' | ')}`);
});
afterAll(async () => {
  for (const server of started) await server.stop();
});

/** The texts of messages in any API. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'string' && (name === 'text' || name === 'content') ? [part] : textsIn(part),
  );
}

let postgres: Promise<PostgresServer> | undefined;

/** The variables of a server with all keys. */
async function environment(backend: string): Promise<NodeJS.ProcessEnv> {
  if (backend === 'postgres') postgres ??= keep(startPostgres());
  return {
    OPENAI_API_KEY: openai.apiKey,
    OPENAI_BASE_URL: openai.baseURL,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    AI_GATEWAY_API_KEY: gateway.apiKey,
    NODE_OPTIONS: `--import=${redirection('https://ai-gateway.vercel.sh', gateway.url)}`,
    REDIS_URL: redis.url,
    DATABASE_URL: (await postgres)?.url,
  };
}

describe.each(COMBINATIONS)('$framework on $backend', ({ framework, backend }) => {
  const tags = BY_DAY.includes(`${framework}-${backend}`) ? [] : ['nightly'];

  it('a second process goes on with the conversation, knows the user from others, and no other user', {
    tags,
  }, async () => {
    const project = await makeProject(directory.path, framework, backend);
    const env = await environment(backend);
    const start = () => ChatServer.start(join(project, 'src/server.ts'), env);
    // Tests may share a database.
    const [alice, bob] = [`alice-of-${framework}`, `bob-of-${framework}`];

    const first = await start();
    expect((await first.post(alice, 'monday', ' \n')).status).toBe(400);
    expect(await first.say(alice, 'monday', 'I am allergic to saffron.')).toContain('I am allergic to saffron.');
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await start();
    expect(await second.say(alice, 'friday', 'What am I allergic to?')).toMatch(
      /<memory>.*I am allergic to saffron\.<\/entry>/s,
    );
    const [, before] = (await second.say(alice, 'monday', 'And then?')).split('I read: ');
    expect(before).toContain('I am allergic to saffron.');
    expect(await second.say(bob, 'friday', 'What am I allergic to?')).not.toContain('saffron');
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

describe.each([
  ['openai-agents', 'OPENAI_API_KEY', []],
  ['ai-sdk', 'AI_GATEWAY_API_KEY', ['nightly']],
  ['none', 'OPENAI_API_KEY', ['nightly']],
] as const)('%s without a key', (framework, key, tags) => {
  it('says what to set, shows what a model would read, and a model goes on when the key is set', {
    tags: [...tags],
  }, async () => {
    const program = join(await makeProject(directory.path, framework, 'file'), 'src/server.ts');
    const first = spawn(process.execPath, ['--conditions=@keepsake/source', '--no-warnings', program], {
      env: { ...process.env, PORT: '0', [key]: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void first.kill('SIGKILL'));
    const printed = text(first.stderr);
    const [line] = await once(first.stdout, 'data');
    const say = async (chat: string, body: string) =>
      (await fetch(`${String(line).trim()}/alice/${chat}`, { method: 'POST', body })).text();
    expect(await say('monday', 'I am allergic to saffron.')).toBe('I read: I am allergic to saffron.');
    await expect
      .poll(() => say('friday', 'What am I allergic to?'))
      .toMatch(/^I read: .*<memory>.*I am allergic to saffron\.<\/entry>/s);
    first.kill('SIGTERM');
    const warning = `${key} is not set: answers show what a model would read. Set it in .env and restart.\n`;
    expect(await printed).toBe(warning);

    const second = await ChatServer.start(program, await environment('file'));
    expect(await second.say('alice', 'monday', 'And then?')).toMatch(/I am allergic to saffron\. \|.*And then\?/s);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

it('without a database, it says what to set', async () => {
  const project = await makeProject(directory.path, 'none', 'postgres');
  const given = { environment: { DATABASE_URL: undefined } };
  expect(await runProgram(join(project, 'src/server.ts'), [], given)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('DATABASE_URL is not set. Set it in .env'),
  });
});
