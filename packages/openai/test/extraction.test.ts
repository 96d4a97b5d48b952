import { InvocationTrigger, MemoryManager, type MemoryModel, type StoreFailure } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { OpenAIVectorStore } from '../src/index.ts';
import { emulated } from './emulated.ts';

/** Answers each extraction request with one addition. */
const model: MemoryModel = {
  generate: async () => ({
    text: JSON.stringify({ changes: [{ action: 'add', id: null, content: 'Alice lives in Oslo.' }] }),
  }),
};

async function setUp(metadata?: Record<string, string>) {
  const { client } = await emulated();
  const { id: vectorStoreId } = await client.vectorStores.create({});
  const extractor = {
    extract: async () => [
      { kind: 'add' as const, content: 'Alice lives in Oslo.', ...(metadata === undefined ? {} : { metadata }) },
    ],
  };
  const store = new OpenAIVectorStore({
    client,
    vectorStoreId,
    name: 'facts',
    namespace: ['u', 'alice'],
    extraction: { trigger: new InvocationTrigger(), ...(metadata === undefined ? {} : { extractor }) },
  });
  const failures: StoreFailure[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const memory = new MemoryManager({
    stores: [store],
    model,
    telemetry: { logger, onStoreError: (one) => void failures.push(one) },
  });
  const learn = async (id: string) => {
    const chat = memory.conversation({ id });
    chat.observe({ role: 'user', content: 'I live in Oslo.' });
    await chat.endTurn();
    return memory.flush();
  };
  return { store, memory, failures, learn };
}

const SOURCE = { sourceRun: expect.any(String), sourceFirst: expect.any(Number), sourceLast: expect.any(Number) };

describe('extraction into a vector store', () => {
  it('stores facts with their source, which search finds and injection shows', async () => {
    const { store, memory, failures, learn } = await setUp();
    const longestId = 'c'.repeat(512);
    expect(await learn(longestId)).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(failures).toEqual([]);
    const metadata = { ...SOURCE, sourceThread: longestId };
    expect(await store.search('Oslo')).toMatchObject([{ content: 'Alice lives in Oslo.', metadata }]);
    const injected = await memory.conversation().inject([{ role: 'user', content: 'Where does Alice live?' }]);
    expect(JSON.stringify(injected)).toContain('Alice lives in Oslo.');
  });

  it('stores eight fields of an extractor beside the source, and says if there are more', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']));
    const full = await setUp(fields(8));
    expect(await full.learn('chat')).toEqual({ facts: { saved: 1, failed: 0 } });
    const [found] = await full.store.search('Oslo');
    expect(found?.metadata).toEqual({ ...fields(8), ...SOURCE, sourceThread: 'chat' });

    const over = await setUp(fields(9));
    expect(await over.learn('chat')).toEqual({ facts: { saved: 0, failed: 0 } });
    expect(await over.store.search('Oslo')).toEqual([]);
    expect(over.failures).toMatchObject([
      { storeName: 'facts', operation: 'extract', count: 1, error: { code: 'INVALID_ARGUMENT' } },
    ]);
  });
});
