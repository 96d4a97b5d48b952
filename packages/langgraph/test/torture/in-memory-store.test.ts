import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningBackend } from '../backends/backend.ts';
import { BACKENDS } from '../backends/backends.ts';
import { BATCHES, compareHistories } from '../support/compare-histories.ts';

const HISTORIES = rounds(50);

describe.each(BACKENDS)('KeepsakeStore on $name', ({ name, start }) => {
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  it('answers generated batches like InMemoryStore of LangGraph', async (context) => {
    const batches = await compareHistories(running, HISTORIES, Number(process.env.TORTURE_SEED));
    expect(batches).toBe(HISTORIES * BATCHES);
    show(context, 1, `${name}: ${count(batches)} batches answered like InMemoryStore of LangGraph`);
  });
});
