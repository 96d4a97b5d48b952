import { MemoryManager, ModelExtractor } from '@keepsake/core';
import { FileStore } from '../../src/index.ts';

/** A manager over files, whose model learns a fact from each message about a topic. */
export function refusedMessages(directory: string, factOf: (topic: string) => string): MemoryManager {
  const extractor = new ModelExtractor({
    model: {
      async generate({ prompt }) {
        // Not what the prompt says is known already.
        const topics = [...prompt.matchAll(/A word about (topic \d+)/g)];
        const changes = topics.map(([, topic = '']) => ({ action: 'add', content: factOf(topic) }));
        return { text: JSON.stringify({ changes }) };
      },
    },
  });
  const options = { directory, durability: 'os' } as const;
  const facts = new FileStore({
    ...options,
    name: 'facts',
    namespace: ['facts'],
    extraction: { trigger: { name: 'never', attach() {} }, extractor },
  });
  return new MemoryManager({
    stores: [facts],
    outbox: new FileStore({ ...options, name: 'outbox' }),
    telemetry: { onStoreError: () => {} },
  });
}
