import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { memoryHandler, memoryServer, serveHttp } from '../src/index.ts';
import { call, connectHttp } from './support/connect.ts';
import { request } from './support/request.ts';
import { serve, verifier } from './support/serve.ts';

const store = () => new InMemoryStore({ name: 'memory' });

describe('refuses', () => {
  it.each<[string, number, Parameters<typeof request>[1]]>([
    ['no token', 401, {}],
    ['a wrong token', 401, { token: 'guess' }],
    ['another scheme', 401, { headers: { authorization: 'Basic token-alice' } }],
    ['another Host', 403, { token: 'token-alice', headers: { host: 'evil.example' } }],
    ['another Origin', 403, { token: 'token-alice', headers: { origin: 'https://evil.example' } }],
    ['an opaque Origin', 403, { token: 'token-alice', headers: { origin: 'null' } }],
  ])('%s', async (_, status, sent) => {
    const answer = await request(await serve(store()), sent);
    expect(answer.status).toBe(status);
    expect(answer.body.result).toBeUndefined();
  });

  it('no path but /mcp', async () => {
    const url = new URL('/other', await serve(store())).href;
    expect(await request(url, { token: 'token-alice' })).toMatchObject({ status: 404 });
  });

  it('an expired token', async () => {
    const auth = {
      verifier: {
        verifyAccessToken: async (token: string) => ({ ...(await verifier.verifyAccessToken(token)), expiresAt: 1 }),
      },
    };
    expect(await request(await serve(store(), { auth }), { token: 'token-alice' })).toMatchObject({ status: 401 });
  });

  it('a user whose namespace is the root of all users', async () => {
    const all = store();
    await all.put({ content: 'Everybody likes tea.' });
    const answer = await request(await serve(all, { namespaceOf: () => [] }), {
      method: 'tools/call',
      params: { name: 'recall', arguments: { query: 'tea' } },
      token: 'token-alice',
    });
    expect(answer.body).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(answer.body)).not.toContain('tea');
  });
});

it('serves this machine with a token, and hosts and origins that are allowed', async () => {
  const token = 'token-alice';
  const url = await serve(store(), { allowedHosts: ['memory.example'], allowedOrigins: ['app.example'] });
  const headers = { host: 'memory.example', origin: 'https://app.example' };
  expect(await request(url, { token, headers })).toMatchObject({ status: 200 });
  expect(await request(url, { token })).toMatchObject({ status: 403 });
  expect(await request(await serve(store()), { token })).toMatchObject({ status: 200 });
});

it('listens on 127.0.0.1 by default', async () => {
  expect(new URL(await serve(store())).hostname).toBe('127.0.0.1');
});

/** Each has 20 notes and 20 searches at once. */
const ROUNDS = rounds(25);

it(`of ${ROUNDS * 40} calls with two tokens at once, each sees only the memory of its user`, async () => {
  const url = await serve(store());
  const users = await Promise.all(
    ['alice', 'bob'].map(async (user) => ({ user, client: await connectHttp(url, `token-${user}`) })),
  );
  let crossings = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const calls = users.flatMap(({ user, client }) =>
      Array.from({ length: 10 }, async (_, at) => {
        await call(client, 'remember', { content: `Note ${round}-${at} of ${user}.` });
        const { memories } = await call(client, 'recall', { query: 'note', limit: 100, maxTokens: 2_000 });
        const others = memories.filter(({ content }: { content: string }) => !content.endsWith(`of ${user}.`));
        crossings += others.length;
        expect(memories.length).toBeGreaterThan(0);
      }),
    );
    await Promise.all(calls);
  }
  expect(crossings).toBe(0);
  for (const { client } of users) expect(await call(client, 'memory_stats')).toMatchObject({ memories: 10 * ROUNDS });
});

it('read-only mode shows and allows no tool that writes', async () => {
  for (const [all, options] of [
    [store(), { readOnly: true }],
    [new InMemoryStore({ name: 'memory', writable: false }), {}],
  ] as const) {
    const client = await connectHttp(await serve(all, options), 'token-alice');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['list_memories', 'memory_stats', 'read_memory', 'recall']);
    for (const name of ['remember', 'update_memory', 'forget']) {
      await expect(client.callTool({ name, arguments: { content: 'x' } })).rejects.toMatchObject({ code: -32602 });
    }
    expect(await call(client, 'memory_stats')).toMatchObject({ readOnly: true });
  }
});

it('tells a client nothing about a failure of the store, and reports it', async () => {
  const failing = store();
  const errors: unknown[] = [];
  const secret = new Error('password is hunter2');
  const broken = Object.assign(failing.within(['u', 'alice']), {
    search: async () => {
      throw secret;
    },
  });
  const all = Object.assign(failing, { within: () => broken });
  const client = await connectHttp(await serve(all, { onError: (error) => errors.push(error) }), 'token-alice');
  const result = await client.callTool({ name: 'recall', arguments: { query: 'tea' } });
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).not.toContain('hunter2');
  // What the caller can do something about is no failure of the store.
  expect(await client.callTool({ name: 'read_memory', arguments: { id: 'none' } })).toMatchObject({ isError: true });
  expect(errors).toEqual([secret]);
});

describe('options', () => {
  const options = { store: store(), auth: { verifier }, namespaceOf: () => ['u', 'alice'] };
  it.each([
    ['an unknown option', () => memoryServer({ store: store(), readonly: true } as never), 'Did you mean `readOnly`?'],
    [
      'no verifier',
      () => memoryHandler({ ...options, auth: {} } as never),
      '`auth` must be an object with a `verifier`',
    ],
    ['a missing store', () => memoryServer({} as never), '`store` is missing'],
    [
      'a missing namespaceOf',
      () => memoryHandler({ ...options, namespaceOf: undefined } as never),
      '`namespaceOf` is missing',
    ],
    [
      'another compat',
      () => memoryServer({ store: store(), compat: 'mem0' } as never),
      "`compat` must be 'server-memory'.",
    ],
  ])('%s is refused', (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) }),
    );
  });

  it('an invalid port is refused', async () => {
    const serving = serveHttp(memoryHandler(options), { port: 70_000 });
    await expect(serving).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
