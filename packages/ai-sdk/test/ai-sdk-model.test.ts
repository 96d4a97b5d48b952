import { inspect } from 'node:util';
import { type MemoryError, MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkModel, contextMiddleware, memoryMiddleware } from '../src/index.ts';
import { addOnlyStore } from './add-only-store.ts';
import { answers, type GatewayReply, useGateway } from './gateway.ts';
import { scriptedModel } from './programs/scripted-model.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** The error of a question that a gateway answers with `reply`. */
async function failure(reply: GatewayReply, signal?: AbortSignal): Promise<MemoryError> {
  const { provider } = await useGateway(() => reply);
  const model = aiSdkModel(provider('openai/gpt-5-mini'));
  return model.generate({ prompt: 'sentinel', schema, ...(signal && { signal }) }).then(
    () => expect.fail('the model answered'),
    (error) => error,
  );
}

describe('aiSdkModel', () => {
  it('returns text and the token usage', async () => {
    const { provider, requests } = await useGateway(() => answers('In Lisbon.'));
    const model = aiSdkModel(provider('openai/gpt-5-mini'));
    expect(await model.generate({ system: 'Be brief.', prompt: 'Where?' })).toEqual({
      text: 'In Lisbon.',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    expect(requests.map(({ body }) => body.prompt)).toMatchObject([
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Where?' }] },
      ],
    ]);
    expect(requests[0]?.body.responseFormat?.type).not.toBe('json');
  });

  it('asks for JSON that matches the schema and returns it as an object', async () => {
    const { provider, requests } = await useGateway(() => answers('{"city":"Lisbon"}'));
    const model = aiSdkModel(provider('openai/gpt-5-mini'));
    expect(await model.generate({ prompt: 'Where?', schema })).toMatchObject({ object: { city: 'Lisbon' } });
    expect(requests[0]?.body.responseFormat).toEqual({ type: 'json', schema });
  });

  it('reads JSON among other words, from models that do not follow schemas', async () => {
    const { provider } = await useGateway(() => answers('Here it is:\n```json\n{"city":"Lisbon"}\n```'));
    const model = aiSdkModel(provider('openai/gpt-5-mini'));
    expect(await model.generate({ prompt: 'Where?', schema })).toMatchObject({
      object: { city: 'Lisbon' },
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  it('leaves out a usage that the provider does not report', async () => {
    const { provider } = await useGateway(() => ({
      ...answers('In Lisbon.'),
      usage: { inputTokens: {}, outputTokens: {} },
    }));
    expect(await aiSdkModel(provider('a/b')).generate({ prompt: 'Where?' })).toEqual({ text: 'In Lisbon.' });
  });

  it.each([
    ['is blocked', answers('', 'content-filter'), /blocked/, false],
    ['is blocked halfway', answers('{"city":', 'content-filter'), /blocked/, false],
    ['is truncated', answers('{"city":"Lis', 'length'), /token limit/, false],
    ['is truncated to valid JSON', answers('{"city":"Lis"}', 'length'), /token limit/, false],
    ['breaks off', answers('{"city":"Lis', 'interrupted'), /broke off/, true],
    ['is an error', answers('', 'error'), /stopped/, true],
    ['is not JSON', answers('Lisbon'), /JSON/, undefined],
    ['is empty', answers(''), /JSON/, undefined],
  ])('fails if the answer %s', async (_, reply, message, retryable) => {
    const error = await failure(reply);
    expect(error).toMatchObject({ code: 'BACKEND', message: expect.stringMatching(message) });
    expect(error.retryable).toBe(retryable);
  });

  it.each([
    [400, 'INVALID_ARGUMENT', false],
    [401, 'BACKEND', undefined],
    [404, 'BACKEND', undefined],
    [413, 'TOO_LARGE', false],
    [429, 'BACKEND', true],
    [503, 'BACKEND', true],
    ['cut' as const, 'BACKEND', true],
  ])('maps the failure %s of the provider without quoting the request', async (reply, code, retryable) => {
    const error = await failure(reply);
    expect(error.code).toBe(code);
    expect(error.retryable).toBe(retryable);
    expect(inspect(error, { depth: 10 })).not.toMatch(/sentinel|secret-key/);
  });

  it('is retried by the SDK', async () => {
    const { provider, requests } = await useGateway((_, count) => (count === 1 ? 429 : answers('In Lisbon.')));
    expect(await aiSdkModel(provider('a/b')).generate({ prompt: 'Where?' })).toMatchObject({ text: 'In Lisbon.' });
    expect(requests).toHaveLength(2);
  });

  it('stops at once when its signal is aborted', async () => {
    expect(await failure('hang', AbortSignal.abort())).toMatchObject({ code: 'ABORTED' });
    expect(await failure('hang', AbortSignal.timeout(50))).toMatchObject({ code: 'ABORTED' });
  });

  it('accepts models of earlier versions of the SDK', async () => {
    const usage = {
      inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 3, text: 3, reasoning: 0 },
    };
    const old = new MockLanguageModelV3({
      doGenerate: {
        content: [{ type: 'text', text: '{"city":"Lisbon"}' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    });
    expect(await aiSdkModel(old).generate({ prompt: 'Where?', schema })).toMatchObject({ object: { city: 'Lisbon' } });
  });

  it('extracts facts for a memory', async () => {
    const { provider, requests } = await useGateway(() =>
      answers('{"changes":[{"action":"add","id":null,"content":"The user lives in Lisbon."}]}'),
    );
    const memory = new MemoryManager({ stores: [addOnlyStore()], model: aiSdkModel(provider('a/b')) });
    const chat = memory.conversation({ id: 'chat-1' });
    chat.observe({ role: 'user', content: 'I live in Lisbon.' });
    await chat.endTurn();
    await memory.flush({ throwOnFailure: true });
    expect((await memory.search('Lisbon')).map(({ content }) => content)).toEqual(['The user lives in Lisbon.']);
    expect(requests).toHaveLength(1);
  });

  it('is not treated as a conversation if the model has a memory itself', async () => {
    const store = new InMemoryStore({ name: 'facts', extraction: true });
    await store.add('Alice prefers aisle seats.');
    const memory = new MemoryManager({ stores: [store] });
    const inner = scriptedModel('Aisle.');
    const polite: LanguageModelMiddleware = {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => ({
        ...params,
        prompt: [{ role: 'system', content: 'Be polite.' }, ...params.prompt],
      }),
    };
    const middleware = [polite, memoryMiddleware(memory), contextMiddleware({ render: () => 'It is noon.' })];
    const model = aiSdkModel(wrapLanguageModel({ model: inner, middleware }));
    await model.generate({ prompt: 'Which seats does Alice prefer?' });
    expect(inner.doGenerateCalls[0]?.prompt).toMatchObject([
      { role: 'system' },
      { role: 'user', content: [{ text: 'Which seats does Alice prefer?' }] },
    ]);
    await memory.flush();
    expect((await store.list()).items).toHaveLength(1);
  });
});
