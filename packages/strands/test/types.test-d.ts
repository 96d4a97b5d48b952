/* Type tests: the bridge fits the published SDK. Only `tsc` checks this file (npm run typecheck). */
import { type ExtractionTrigger, IntervalTrigger, MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { Agent, type Plugin } from '@strands-agents/sdk';
import { AgentTrigger, type KeepsakeOptions, keepsake } from '../src/index.ts';

const flagged = new AgentTrigger({ name: 'flagged', when: (agent, turn) => agent.appState.get('x') === turn });
flagged satisfies ExtractionTrigger;

const store = new InMemoryStore({
  name: 'facts',
  extraction: { trigger: [flagged, new IntervalTrigger({ turns: 5 })] },
});
const memory = new MemoryManager({ stores: [store] });

keepsake(memory) satisfies Plugin;
new Agent({ plugins: [keepsake(memory), keepsake(memory, { name: 'second', conversationId: 'thread-42' })] });
({}) satisfies KeepsakeOptions;

// @ts-expect-error the memory is required
keepsake();
// @ts-expect-error a store is not a memory manager
keepsake(store);
