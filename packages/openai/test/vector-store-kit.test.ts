import { describeMemoryStore } from '@keepsake/conformance';
import { startOpenAI } from '@keepsake/emulators';
import { describe, it } from 'vitest';
import { OpenAIVectorStore } from '../src/index.ts';
import { clientOf } from './emulated.ts';

describeMemoryStore({
  name: 'OpenAIVectorStore',
  describe,
  it,
  capabilities: { search: 'hybrid', add: true, addMessages: false, filter: true },
  async harness() {
    const emulator = await startOpenAI();
    const client = clientOf(emulator);
    const { id: vectorStoreId } = await client.vectorStores.create({});
    const open = (options = {}) =>
      new OpenAIVectorStore({ client, vectorStoreId, name: 'memories', namespace: ['u', 'alice'], ...options });
    return {
      open,
      async fill(contents) {
        for (const content of contents) await open().add(content);
      },
      close: () => emulator.stop(),
    };
  },
});
