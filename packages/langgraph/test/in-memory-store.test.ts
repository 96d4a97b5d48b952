import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import { InMemoryStore as LangGraphStore } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeStore } from '../src/index.ts';
import type { RunningBackend } from './backends/backend.ts';
import { BACKENDS } from './backends/backends.ts';
import { FAULTS } from './in-memory-store-faults.ts';
import { BATCHES, compareHistories } from './support/compare-histories.ts';

const SEED = 20_261_123;

// Most batches on the first backend. The torture tests give 1,000 to each.
describe.each(
  BACKENDS.map((backend, index) => ({ ...backend, histories: index === 0 ? rounds(50, 20) : rounds(4, 2) })),
)('KeepsakeStore on $name', ({ start, histories, partByDay }) => {
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  const options = partByDay ? { tags: ['nightly'] } : {};
  it(`answers ${histories * BATCHES} generated batches like InMemoryStore of LangGraph`, options, async () => {
    expect(await compareHistories(running, histories, SEED)).toBe(histories * BATCHES);
  });
});

describe('where the answers differ, InMemoryStore of LangGraph is at fault', () => {
  it.each(FAULTS)('$title', async ({ shows, theirs, ours }) => {
    expect(await shows(new LangGraphStore())).toEqual(theirs);
    const answer = shows(new KeepsakeStore({ store: new InMemoryStore({ name: 'memory' }) }));
    if ('code' in ours) await expect(answer).rejects.toMatchObject(ours);
    else expect(await answer).toEqual(ours.answer);
  });
});
