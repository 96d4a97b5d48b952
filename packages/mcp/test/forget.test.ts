import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { OAuthTokenVerifier } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MemoryHandlerOptions } from '../src/index.ts';
import { Confirmations } from '../src/tools/confirmations.ts';
import { call, connectHttp, connectStdio, ERAS, type Json, textOf } from './support/connect.ts';
import { request } from './support/request.ts';
import { serve, verifier } from './support/serve.ts';

const directory = useDirectory();
const YES: ElicitResult = { action: 'accept', content: { confirm: true } };
/** The user declines, cancels, or accepts without confirming. */
const NOES: readonly ElicitResult[] = [
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept', content: { confirm: false } },
];
const TEA = 'Alice likes tea.</memory>\u202e';

it.each(ERAS)(
  'over stdio, forget by a query shows the user what it would delete, and deletes that if they confirm, in protocol %s',
  async (era) => {
    const asked: string[] = [];
    let answer = YES;
    const client = await connectStdio(['--directory', directory.path], {
      era,
      answer: (message) => {
        asked.push(message);
        return answer;
      },
    });
    expect((await client.listTools()).tools).toHaveLength(7);
    const { id } = await call(client, 'remember', { content: TEA });
    await call(client, 'remember', { content: 'Bob plays chess.' });
    for (answer of NOES) {
      expect(await call(client, 'forget', { query: 'tea' })).toMatchObject({ forgotten: [], isDeclined: true });
      expect(await contents(client)).toEqual(['Bob plays chess.', TEA]);
    }
    answer = YES;
    expect(await call(client, 'forget', { query: 'tea' })).toMatchObject({ forgotten: [{ id }], isDeclined: false });
    const question = 'Forget this memory for good?\n- Alice likes tea.&lt;/memory&gt;';
    expect(asked).toEqual(Array.from({ length: NOES.length + 1 }, () => question));
    expect(await contents(client)).toEqual(['Bob plays chess.']);
  },
);

it('a memory that changes after the question stays', async () => {
  const store = new InMemoryStore({ name: 'memory' });
  const alice = store.within(['u', 'alice']);
  await alice.put({ id: 'drink', content: 'Alice likes tea.' });
  const url = await serve(store);
  const changing = await connectHttp(url, 'token-alice', { answer: () => YES });
  const before = changing.callTool({ name: 'forget', arguments: { query: 'tea' } });
  await before;
  await alice.put({ id: 'drink', content: 'Alice likes tea.' });
  const asked = await ask(url, 'alice');
  await alice.put({ id: 'drink', content: 'Alice likes tea, and nothing else.' });
  const { body } = await answer(url, 'alice', asked);
  expect(body.result.structuredContent).toMatchObject({ forgotten: [], changed: ['drink'] });
  expect(await alice.get('drink')).toMatchObject({ content: 'Alice likes tea, and nothing else.' });
});

describe('requestState over HTTP', () => {
  it('is refused when it is replayed, forged or of another user, and deletes nothing', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    for (const user of ['alice', 'bob']) await store.within(['u', user]).put({ content: `${user} likes tea.` });
    const url = await serve(store);

    const ofAlice = await ask(url, 'alice');
    expect((await answer(url, 'bob', ofAlice)).body.error).toMatchObject({ code: -32602 });
    expect((await answer(url, 'alice', 'forged')).body.error).toMatchObject({ code: -32602 });
    expect((await answer(url, 'alice', ofAlice)).body.result.structuredContent.forgotten).toHaveLength(1);

    await store.within(['u', 'alice']).put({ content: 'alice likes tea again.' });
    expect((await answer(url, 'alice', ofAlice)).body.error).toMatchObject({ code: -32602 });
    expect((await store.within(['u', 'alice']).list()).items).toHaveLength(1);
    expect((await store.within(['u', 'bob']).list()).items).toHaveLength(1);
  });

  const ofOneClient: OAuthTokenVerifier = {
    verifyAccessToken: async (token) => ({ ...(await verifier.verifyAccessToken(token)), clientId: 'app' }),
  };

  it.each<[string, Partial<MemoryHandlerOptions>]>([
    ['client of the same memory', { namespaceOf: () => ['u', 'alice'] }],
    ['memory of the same client', { auth: { verifier: ofOneClient }, namespaceOf: ({ token }) => [token] }],
  ])('is refused to another %s', async (_, options) => {
    const store = new InMemoryStore({ name: 'memory' });
    for (const place of [['u', 'alice'], ['token-alice']]) await store.within(place).put({ content: 'Tea.' });
    const url = await serve(store, options);
    const ofAlice = await ask(url, 'alice');
    expect((await answer(url, 'bob', ofAlice)).body.error).toMatchObject({ code: -32602 });
    expect((await answer(url, 'alice', ofAlice)).body.result.structuredContent.forgotten).toHaveLength(1);
  });

  it('is refused with another query', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    await store.within(['u', 'alice']).put({ content: 'alice likes tea.' });
    const url = await serve(store);
    const { body } = await answer(url, 'alice', await ask(url, 'alice'), 'coffee');
    expect(body.result).toMatchObject({ isError: true });
    expect((await store.within(['u', 'alice']).list()).items).toHaveLength(1);
  });

  it('an answer without a question asks again', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    await store.within(['u', 'alice']).put({ content: 'alice likes tea.' });
    const { body } = await answer(await serve(store), 'alice', undefined);
    expect(body.result).toMatchObject({ resultType: 'input_required' });
    expect((await store.within(['u', 'alice']).list()).items).toHaveLength(1);
  });
});

describe('questions', () => {
  const pending = (query: string) => ({ query, memories: [] });

  it('are good for one answer of the owner who was asked', () => {
    const questions = new Confirmations();
    const handle = questions.open(pending('tea'), 'alice');
    expect(() => questions.take(handle, 'bob')).toThrow('Unknown requestState.');
    expect(questions.take(handle, 'alice')).toEqual(pending('tea'));
    expect(() => questions.take(handle, 'alice')).toThrow('Unknown requestState.');
  });

  it('are kept for ten minutes, the latest thousand', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const questions = new Confirmations();
    const handles = Array.from({ length: 1_001 }, (_, n) => questions.open(pending(`${n}`), 'alice'));
    const [first = '', second = '', third = ''] = handles;
    expect(() => questions.take(first, 'alice')).toThrow('Unknown requestState.');
    vi.advanceTimersByTime(600_000);
    expect(questions.take(second, 'alice')).toEqual(pending('1'));
    vi.advanceTimersByTime(1);
    expect(() => questions.take(third, 'alice')).toThrow('Expired requestState.');
  });
});

it.each(ERAS)('a client that cannot show its user a form is told what to do, in protocol %s', async (era) => {
  const store = new InMemoryStore({ name: 'memory' });
  await store.within(['u', 'alice']).put({ content: 'alice likes tea.' });
  const url = await serve(store);
  for (const elicitation of [undefined, { url: {} }]) {
    const client = await connectHttp(url, 'token-alice', { era, elicitation });
    const result = await client.callTool({ name: 'forget', arguments: { query: 'tea' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/UNSUPPORTED.*call forget with the ids/);
  }
});

it('an id that is given twice is forgotten once', async () => {
  const client = await connectHttp(await serve(new InMemoryStore({ name: 'memory' })), 'token-alice');
  const { id } = await call(client, 'remember', { content: TEA });
  expect(await call(client, 'forget', { ids: [id, id] })).toMatchObject({ forgotten: [{ id }], notFound: [] });
});

async function contents(client: Parameters<typeof call>[0]): Promise<string[]> {
  const { memories } = await call(client, 'list_memories');
  return memories.map(({ content }: { content: string }) => content);
}

/** Begins to forget tea, and returns the handle of the question. */
async function ask(url: string, user: string): Promise<string> {
  const { body } = await forgetTea(url, user, {});
  expect(body.result.resultType).toBe('input_required');
  return body.result.requestState;
}

/** Confirms a question. */
function answer(url: string, user: string, requestState: string | undefined, query?: string) {
  return forgetTea(url, user, { requestState, inputResponses: { confirm: YES } }, query);
}

function forgetTea(url: string, user: string, more: object, query = 'tea'): Promise<{ body: Json }> {
  const params = { name: 'forget', arguments: { query }, ...more };
  return request(url, { method: 'tools/call', params, token: `token-${user}` });
}
