import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { IntervalTrigger, type MemoryModel, ModelExtractor } from '@keepsake/core';
import { openStore } from './open-store.ts';

/** Learns one fact from each question, worded differently each time, after a random delay. */
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

/** A store for facts, one for messages and an outbox, all in Redis. */
export function learningFrom(url: string) {
  const trigger = new IntervalTrigger({ turns: 3 });
  const extraction = { trigger, extractor: new ModelExtractor({ model }) };
  const { client, store } = openStore(url);
  const facts = openStore(url, { name: 'facts', namespace: ['facts'], extraction });
  const talk = openStore(url, { name: 'talk', namespace: ['talk'], extraction: { trigger } });
  return {
    stores: [facts.store, talk.store] as const,
    outbox: store.within(['outbox']),
    disconnect() {
      for (const one of [client, facts.client, talk.client]) one.disconnect();
    },
  };
}
