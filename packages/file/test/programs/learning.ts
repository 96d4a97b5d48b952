import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { IntervalTrigger, type MemoryModel, ModelExtractor } from '@keepsake/core';
import { FileStore } from '../../src/index.ts';

/** A slow model that learns a fact from each question, worded differently each time. */
const model: MemoryModel = {
  async generate({ prompt }) {
    await wait(Math.random() * 10);
    const changes = [...prompt.matchAll(/question of ([^<]*)/g)].map(([, text]) => ({
      action: 'add',
      content: `${text}, as ${randomUUID()} put it`,
    }));
    return { text: JSON.stringify({ changes }) };
  },
};

/** A store for facts, a store for messages and an outbox in one directory. */
export function learningFrom(directory: string) {
  const trigger = new IntervalTrigger({ turns: 3 });
  const options = { directory, durability: 'os' } as const;
  const facts = new FileStore({
    ...options,
    name: 'facts',
    namespace: ['facts'],
    extraction: { trigger, extractor: new ModelExtractor({ model }) },
  });
  const talk = new FileStore({ ...options, name: 'talk', namespace: ['talk'], extraction: { trigger } });
  const outbox = new FileStore({ ...options, name: 'outbox' });
  return { stores: [facts, talk], outbox };
}
