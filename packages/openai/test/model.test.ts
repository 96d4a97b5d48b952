import { type MemoryError, MemoryManager, ModelExtractor } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { READABLE_FORMS } from '@keepsake/testing/answer-forms';
import { describe, expect, it } from 'vitest';
import { openaiModel } from '../src/index.ts';
import { clientOf, count, emulated } from './emulated.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

async function setUp(options = {}) {
  const { emulator } = await emulated();
  return { emulator, model: openaiModel({ client: clientOf(emulator, options), model: 'gpt-5-mini' }) };
}

describe('openaiModel', () => {
  it('returns text and the token usage', async () => {
    const { emulator, model } = await setUp();
    emulator.answerWith(({ instructions, input }) => `${instructions} ${JSON.stringify(input)}`);
    const { text, object, usage } = await model.generate({ system: 'Be brief.', prompt: 'Where?' });
    expect(text).toBe('Be brief. [{"type":"message","role":"user","content":"Where?"}]');
    expect(object).toBe(undefined);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  it('returns an object that matches the schema', async () => {
    const { emulator, model } = await setUp();
    emulator.answerWith((asked) => (asked.schema === undefined ? undefined : '{"city":"Lisbon"}'));
    expect(await model.generate({ prompt: 'Where?', schema })).toMatchObject({ object: { city: 'Lisbon' } });
  });

  it.each(Object.entries(READABLE_FORMS))('reads an answer that has the JSON %s', async (_, form) => {
    const { emulator, model } = await setUp();
    const json = '{"city":"a house in Lisbon","zip":null}';
    emulator.answerWith(() => form(json));
    const { object } = await model.generate({ prompt: 'Where?', schema });
    expect(JSON.stringify(object).replaceAll(/\\n| +/g, ' ')).toBe(json.replaceAll(/ +/g, ' '));
  });

  it('refuses a schema that is not strict, without quoting it', async () => {
    const { model } = await setUp();
    const loose = { type: 'object', properties: { sentinel: { type: 'string' } } };
    const error: MemoryError = await model.generate({ prompt: 'x', schema: loose }).then(
      () => expect.fail('the schema was accepted'),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', cause: { code: 'invalid_json_schema' } });
    expect(`${error} ${error.cause}`).not.toContain('sentinel');
  });

  it.each([
    ['is refused', { refusal: 'I can not say.' }],
    ['is truncated', { incomplete: '{"city":"Lis' }],
    ['is not JSON', 'Lisbon'],
  ])('fails when the answer %s', async (_, answer) => {
    const { emulator, model } = await setUp();
    emulator.answerWith(() => answer);
    await expect(model.generate({ prompt: 'Where?', schema })).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it('is retried if the service is busy or the connection breaks, then fails as retryable', async () => {
    const { emulator, model } = await setUp();
    emulator.faults.throttle({ times: 1, retryAfterMs: 1 });
    emulator.faults.cut('before', { times: 1 });
    expect((await model.generate({ prompt: 'Hi' })).text).toBe('You said: Hi');
    emulator.faults.throttle({ retryAfterMs: 1 });
    await expect(model.generate({ prompt: 'Hi' })).rejects.toMatchObject({ code: 'BACKEND', retryable: true });
    expect(count(emulator, 'POST', /responses$/)).toBe(6);
  });

  it('stops at once when its signal is aborted', async () => {
    const { emulator, model } = await setUp();
    await expect(model.generate({ prompt: 'Hi', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(emulator.requests).toEqual([]);
    emulator.faults.delay(10_000);
    const signal = AbortSignal.timeout(50);
    await expect(model.generate({ prompt: 'Hi', signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('works as the extraction model of a memory manager, with its schema', async () => {
    const { emulator, model } = await setUp();
    emulator.answerWith(() => '{"changes":[{"action":"add","id":null,"content":"The user lives in Lisbon."}]}');
    const store = new InMemoryStore({ name: 'learnt', extraction: { extractor: new ModelExtractor() } });
    const memory = new MemoryManager({ stores: [store], model });
    const chat = memory.conversation({ id: 'chat-1' });
    chat.observe({ role: 'user', content: 'I live in Lisbon.' });
    await chat.endTurn();
    await memory.flush({ throwOnFailure: true });
    expect((await memory.search('Lisbon')).map(({ content }) => content)).toEqual(['The user lives in Lisbon.']);
  });
});
