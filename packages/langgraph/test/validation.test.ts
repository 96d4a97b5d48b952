import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { describe } from 'vitest';
import { KeepsakeSaver } from '../src/index.ts';
import type { RunningBackend } from './backends/backend.ts';
import { BACKENDS } from './backends/backends.ts';

// LangGraph's own suite for savers, and its tests of the history of delta channels, which `validate` leaves out.
for (const { name, start, partByDay } of BACKENDS) {
  let running: RunningBackend;
  const initializer = {
    checkpointerName: `KeepsakeSaver on ${name}`,
    async beforeAll() {
      running = await start();
    },
    beforeAllTimeout: 60_000,
    afterAll: () => running.stop(),
    createCheckpointer: () => new KeepsakeSaver({ store: running.place().open() }),
  };
  describe(name, partByDay ? { tags: ['nightly'] } : {}, () => {
    validate(initializer);
    deltaChannelHistoryTests(initializer);
  });
}
