import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { Agent, type Model, type ModelRequest, type ModelResponse, setTracingDisabled, Usage } from '@openai/agents';
import { assistantMessage } from '@openai/agents/testing';
import { beforeAll, expect, it, vi } from 'vitest';
import { memoryRunner } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

/** A model that refuses to extract facts from a forbidden message. */
class Squeamish implements Model {
  extractions = 0;

  async getResponse({ input, outputType }: ModelRequest): Promise<ModelResponse> {
    if (outputType === 'text') return { usage: new Usage(), output: [assistantMessage('Noted.')] };
    this.extractions++;
    const prompt = String(input);
    if (prompt.includes('forbidden')) {
      const content = [{ type: 'refusal' as const, refusal: 'No.' }];
      return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
    }
    const changes = [...prompt.matchAll(/I like thing (\d+)\./g)].map(([, number]) => ({
      action: 'add',
      id: '',
      content: `The user likes thing ${number}.`,
      speaker: 'user',
    }));
    return { usage: new Usage(), output: [assistantMessage(JSON.stringify({ changes }))] };
  }

  getStreamedResponse(): never {
    throw new Error('Nothing is streamed.');
  }
}

it('one message that the model refuses does not keep the others from being learned', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  const onStoreError = vi.fn();
  const stores = [Object.assign(store, { addMessages: undefined as never })];
  const outbox = new InMemoryStore({ name: 'outbox' });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const memory = new MemoryManager({ stores, outbox, telemetry: { onStoreError, logger }, injection: false });
  const model = new Squeamish();
  const agent = new Agent({ name: 'Guide', model });
  const runner = memoryRunner(memory);
  for (let turn = 0; turn < 41; turn++) {
    await runner.run(agent, turn === 7 ? 'Something forbidden.' : `I like thing ${turn}.`);
  }
  await memory.flush({ throwOnFailure: true });
  expect((await store.list({ limit: 100 })).items).toHaveLength(40);
  expect(model.extractions).toBeLessThanOrEqual(60);
  expect(onStoreError).toHaveBeenCalledTimes(1);
  expect((await memory.deadLetters()).items).toMatchObject([
    { storeName: 'facts', message: { role: 'user', content: [{ text: 'Something forbidden.' }] } },
  ]);
});
