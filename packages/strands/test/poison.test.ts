import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import {
  Agent,
  type BaseModelConfig,
  type Message,
  Model,
  type ModelStreamEvent,
  type StreamOptions,
} from '@strands-agents/sdk';
import { expect, it, vi } from 'vitest';
import { keepsake } from '../src/index.ts';

/** A model that refuses to extract facts from a forbidden message. */
class Squeamish extends Model {
  extractions = 0;

  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'squeamish', contextWindowLimit: 100_000 };
  }

  override async *stream(messages: Message[], options?: StreamOptions): AsyncGenerator<ModelStreamEvent> {
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (!options?.toolSpecs?.some(({ name }) => name === 'answer')) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'Noted.' } };
      yield { type: 'modelContentBlockStopEvent' };
      yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' };
      return;
    }
    this.extractions++;
    const prompt = JSON.stringify(messages);
    if (prompt.includes('forbidden')) {
      yield { type: 'modelMessageStopEvent', stopReason: 'refusal' };
      return;
    }
    const changes = [...prompt.matchAll(/I like thing (\d+)\./g)].map(([, number]) => ({
      action: 'add',
      id: '',
      content: `The user likes thing ${number}.`,
      speaker: 'user',
    }));
    yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name: 'answer', toolUseId: 'a1' } };
    yield {
      type: 'modelContentBlockDeltaEvent',
      delta: { type: 'toolUseInputDelta', input: JSON.stringify({ changes }) },
    };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: 'toolUse' };
  }
}

it('one message that the model refuses does not keep the others from being learned', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  const onStoreError = vi.fn();
  const stores = [Object.assign(store, { addMessages: undefined as never })];
  const outbox = new InMemoryStore({ name: 'outbox' });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const memory = new MemoryManager({
    stores,
    outbox,
    telemetry: { onStoreError, logger },
    injection: false,
    searchToolConfig: false,
  });
  const model = new Squeamish();
  const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
  for (let turn = 0; turn < 41; turn++) {
    await agent.invoke(turn === 7 ? 'Something forbidden.' : `I like thing ${turn}.`);
  }
  await memory.flush({ throwOnFailure: true });
  expect((await store.list({ limit: 100 })).items).toHaveLength(40);
  expect(model.extractions).toBeLessThanOrEqual(60);
  expect(onStoreError).toHaveBeenCalledTimes(1);
  expect((await memory.deadLetters()).items).toMatchObject([
    { storeName: 'facts', message: { role: 'user', content: [{ text: 'Something forbidden.' }] } },
  ]);
});
