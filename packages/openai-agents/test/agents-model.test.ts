import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager } from '@keepsake/core';
import { startOpenAI } from '@keepsake/emulators';
import { InMemoryStore } from '@keepsake/in-memory';
import { OpenAIProvider } from '@openai/agents';
import { assistantMessage, modelError, ScriptedModel, type ScriptedModelInput } from '@openai/agents/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { agentsModel } from '../src/index.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A model of the SDK on an emulated Responses API. */
async function setUp() {
  const emulator = await startOpenAI();
  onTestFinished(() => emulator.stop());
  const { baseURL, apiKey } = emulator;
  const provider = new OpenAIProvider({ apiKey, baseURL, useResponses: true });
  return { emulator, model: agentsModel(await provider.getModel('gpt-5-mini')) };
}

describe('agentsModel', () => {
  it('returns text and the token usage', async () => {
    const { emulator, model } = await setUp();
    emulator.answerWith(({ instructions }) => `${instructions} In Lisbon.`);
    const { text, usage } = await model.generate({ system: 'Be brief.', prompt: 'Where?' });
    expect(text).toBe('Be brief. In Lisbon.');
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  it('returns an object that matches the schema', async () => {
    const { emulator, model } = await setUp();
    emulator.answerWith((asked) => (asked.schema === undefined ? undefined : '{"city":"Lisbon"}'));
    expect(await model.generate({ prompt: 'Where?', schema })).toMatchObject({ object: { city: 'Lisbon' } });
  });

  it.each(['update', 'replace'] as const)(
    'keeps a profile with the fields of a schema (%s)',
    async (userMemoryMode) => {
      const { emulator, model } = await setUp();
      emulator.answerWith(() =>
        userMemoryMode === 'update'
          ? '{"changes":[{"field":"home","value":{"city":"Lisbon","zip":null}}]}'
          : '{"name":null,"home":{"city":"Lisbon","zip":null}}',
      );
      const userProfileSchema = z.object({
        name: z.string().optional(),
        home: z.object({ city: z.string().min(1), zip: z.string().optional() }).optional(),
      });
      const store = new InMemoryStore({ name: 'conversations' });
      const memory = new ConversationMemory({
        store,
        model,
        userAnalysisMemory: { schema: userProfileSchema, mode: userMemoryMode },
      });
      const agent = memory.for('agent', { userId: 'alice' });
      const items = [{ role: 'user', content: 'I live in Lisbon.' }];
      expect(await agent.save({ status: 'completed', items })).toMatchObject({ errors: [], pending: [] });
      expect((await agent.userMemory?.get())?.data).toEqual({ home: { city: 'Lisbon' } });
    },
  );

  it.each([
    ['is refused', { refusal: 'I can not say.' }, { code: 'BACKEND', retryable: false }],
    ['is truncated', { incomplete: '{"city":"Lis' }, { code: 'BACKEND', retryable: false }],
    ['is not JSON', 'Lisbon', { code: 'BACKEND' }],
  ])('fails when the answer %s', async (_, answer, expected) => {
    const { emulator, model } = await setUp();
    emulator.answerWith(() => answer);
    await expect(model.generate({ prompt: 'Where?', schema })).rejects.toMatchObject(expected);
  });

  it.each([
    [400, { code: 'INVALID_ARGUMENT', retryable: false }],
    [413, { code: 'TOO_LARGE', retryable: false }],
    [429, { code: 'BACKEND', retryable: true }],
    [503, { code: 'BACKEND', retryable: true }],
    [401, { code: 'BACKEND' }],
  ])('fails with status %i without the text of the provider', async (status, expected) => {
    const error = await generate(modelError(Object.assign(new Error('secret'), { status }))).then(
      () => expect.fail('did not fail'),
      (reason) => reason,
    );
    expect(error).toMatchObject({ ...expected, cause: { status } });
    expect(`${error} ${error.cause}`).not.toContain('secret');
  });

  it('accepts JSON among other words, from models that do not follow schemas', async () => {
    const answer = await generate([assistantMessage('Here:\n```json\n{"city":"Lisbon"}\n```')]);
    expect(answer.object).toEqual({ city: 'Lisbon' });
  });

  it('rejects promptly if the signal is aborted, and passes the signal on', async () => {
    const stop = new AbortController();
    let passed: AbortSignal | undefined;
    const hangs = {
      getResponse: ({ signal }: { signal?: AbortSignal }) => {
        passed = signal;
        return new Promise<never>(() => {});
      },
    };
    const answer = agentsModel(hangs as never).generate({ prompt: 'Where?', signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect(passed).toBe(stop.signal);
  });

  it('extracts facts for a manager', async () => {
    const { emulator, model } = await setUp();
    const changes = [{ action: 'add', id: '', content: 'Alice lives in Lisbon.', speaker: 'user' }];
    emulator.answerWith(() => JSON.stringify({ changes }));
    const store = new InMemoryStore({ name: 'facts', extraction: true });
    const memory = new MemoryManager({ stores: [Object.assign(store, { addMessages: undefined as never })], model });
    memory.conversation().observe({ role: 'user', content: 'I live in Lisbon.' });
    expect(await memory.flush({ throwOnFailure: true })).toEqual({ facts: { saved: 1, failed: 0 } });
    expect((await store.search('Lisbon')).map(({ content }) => content)).toEqual(['Alice lives in Lisbon.']);
  });
});

function generate(...steps: ScriptedModelInput[]) {
  return agentsModel(new ScriptedModel(steps)).generate({ prompt: 'Where?', schema });
}
