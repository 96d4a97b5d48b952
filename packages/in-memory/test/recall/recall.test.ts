import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { household } from './household.ts';
import { payments } from './payments.ts';
import type { RecallCases } from './recall-case.ts';

const DAY_MS = 86_400_000;

/** One memory per day. */
async function storeOf({ memories }: RecallCases): Promise<InMemoryStore> {
  const store = new InMemoryStore({ name: 'memories' });
  const start = Date.UTC(2026, 5, 5);
  for (const [day, content] of memories.entries()) {
    await store.put({ content, createdAt: new Date(start + day * DAY_MS).toISOString() });
  }
  return store;
}

describe.each([
  ['household', household],
  ['payments', payments],
])('%s', async (_, cases) => {
  const store = await storeOf(cases);
  for (const [topic, questions] of Object.entries(cases.questions)) {
    for (const { ask, first, miss } of questions) {
      const title = `${topic}: ${ask}${miss === undefined ? '' : ` (missed: ${miss})`}`;
      (miss === undefined ? it : it.fails)(title, async () => {
        const [best] = await store.search(ask, { maxSearchResults: 5 });
        expect(best?.content).toContain(first);
      });
    }
  }
});
