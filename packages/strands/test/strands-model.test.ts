import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import {
  type BaseModelConfig,
  ContextWindowOverflowError,
  MaxTokensError,
  Message,
  Model,
  ModelError,
  type ModelStreamEvent,
  ModelThrottledError,
  type StreamOptions,
  TextBlock,
} from '@strands-agents/sdk';
import { describe, expect, it } from 'vitest';
import { strandsModel } from '../src/index.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A scripted model that records its options. */
class RecordingModel extends ScriptedModel {
  readonly options: (StreamOptions | undefined)[] = [];

  override stream(messages: Message[], options?: StreamOptions) {
    this.options.push(options);
    return super.stream(messages, options);
  }
}

function ask(replies: Reply[], request: { system?: string; schema?: object } = {}) {
  const model = new RecordingModel(...replies);
  return { model, answer: strandsModel(model).generate({ prompt: 'Where?', ...request } as never) };
}

const withStatus = (status: number) =>
  new ModelError('secret', { cause: Object.assign(new Error('secret'), { status }) });

describe('strandsModel', () => {
  it('asks with the system prompt and returns the text', async () => {
    const { model, answer } = ask(['In Lisbon.'], { system: 'Be brief.' });
    expect(await answer).toEqual({ text: 'In Lisbon.' });
    expect(model.inputs).toMatchObject([[{ role: 'user', content: [{ text: 'Where?' }] }]]);
    expect(model.options).toEqual([{ systemPrompt: 'Be brief.' }]);
  });

  it('returns the object that the model passes to the tool', async () => {
    const { model, answer } = ask([{ tool: 'answer', input: { city: 'Lisbon' } }], { schema });
    expect(await answer).toEqual({ text: '{"city":"Lisbon"}', object: { city: 'Lisbon' } });
    expect(model.options).toMatchObject([{ toolSpecs: [{ name: 'answer', inputSchema: schema }] }]);
    expect(model.options[0]).not.toHaveProperty('toolChoice');
  });

  it('returns the object that the model writes in its text', async () => {
    const { answer } = ask(['Here:\n```json\n{"city":"Lisbon"}\n```'], { schema });
    expect((await answer).object).toEqual({ city: 'Lisbon' });
  });

  it('forces the tool if the model answers without an object', async () => {
    const { model, answer } = ask(['Lisbon.', { tool: 'answer', input: { city: 'Lisbon' } }], { schema });
    expect((await answer).object).toEqual({ city: 'Lisbon' });
    expect(model.options[1]?.toolChoice).toEqual({ tool: { name: 'answer' } });
  });

  it('returns the usage of all calls', async () => {
    const model = new Counting('Lisbon.', { tool: 'answer', input: { city: 'Lisbon' } });
    expect((await strandsModel(model).generate({ prompt: 'Where?', schema })).usage).toEqual({
      inputTokens: 20,
      outputTokens: 6,
    });
  });

  it.each([
    ['the answer is not JSON', ['Lisbon.', 'Lisbon!'], { code: 'BACKEND' }],
    [
      'the answer is truncated',
      [new MaxTokensError('secret', messageOf('{"ci'))],
      { code: 'BACKEND', retryable: false },
    ],
    ['the request is too long', [new ContextWindowOverflowError('secret')], { code: 'TOO_LARGE', retryable: false }],
    ['the provider is busy', [new ModelThrottledError('secret')], { code: 'BACKEND', retryable: true }],
    ['the provider is down', [withStatus(503)], { code: 'BACKEND', retryable: true }],
    ['the provider refuses the text', [withStatus(400)], { code: 'INVALID_ARGUMENT', retryable: false }],
  ])('fails if %s, without the text of the provider', async (_, replies, expected) => {
    const error = await ask(replies, { schema }).answer.then(
      () => expect.fail('did not fail'),
      (reason) => reason,
    );
    expect(error).toMatchObject(expected);
    expect(`${error} ${error.cause}`).not.toContain('secret');
  });

  it.each(['guardrailIntervened', 'contentFiltered', 'refusal'])('fails if the stop reason is %s', async (reason) => {
    await expect(strandsModel(new Stopping(reason)).generate({ prompt: 'Where?' })).rejects.toMatchObject({
      code: 'BACKEND',
      retryable: false,
    });
  });

  it('rejects promptly if the signal is aborted, and passes the signal on', async () => {
    const model = new Hanging();
    const stop = new AbortController();
    const answer = strandsModel(model).generate({ prompt: 'Where?', signal: stop.signal });
    await Promise.resolve();
    stop.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect(model.signal).toBe(stop.signal);
  });

  it('extracts facts for a manager', async () => {
    const changes = [{ action: 'add', id: '', content: 'Alice lives in Lisbon.', speaker: 'user' }];
    const model = strandsModel(new ScriptedModel({ tool: 'answer', input: { changes } }));
    const store = addOnly(new InMemoryStore({ name: 'facts', extraction: true }));
    const memory = new MemoryManager({ stores: [store], model });
    memory.conversation().observe({ role: 'user', content: 'I live in Lisbon.' });
    expect(await memory.flush({ throwOnFailure: true })).toEqual({ facts: { saved: 1, failed: 0 } });
    expect((await store.search('Lisbon')).map(({ content }) => content)).toEqual(['Alice lives in Lisbon.']);
  });
});

/** The store without `addMessages`. */
function addOnly(store: InMemoryStore) {
  return Object.assign(store, { addMessages: undefined as never });
}

function messageOf(text: string): Message {
  return new Message({ role: 'assistant', content: [new TextBlock(text)] });
}

class Counting extends ScriptedModel {
  override async *stream(messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    yield* super.stream(messages, options);
    yield { type: 'modelMetadataEvent', usage: { inputTokens: 10, outputTokens: 3, totalTokens: 13 } };
  }
}

abstract class Plain extends Model {
  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'plain' };
  }
}

class Stopping extends Plain {
  readonly #reason: string;

  constructor(reason: string) {
    super();
    this.#reason = reason;
  }

  override async *stream(): AsyncGenerator<ModelStreamEvent> {
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelMessageStopEvent', stopReason: this.#reason };
  }
}

class Hanging extends Plain {
  signal: AbortSignal | undefined;

  override async *stream(_messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    this.signal = options?.cancelSignal;
    await new Promise(() => {});
  }
}
