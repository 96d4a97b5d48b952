/* Type tests: the bridge fits the published SDK. Only `tsc` checks this file (npm run typecheck). */
import { ConversationMemory } from '@keepsake/conversations';
import { type ExtractionTrigger, IntervalTrigger, MemoryManager, type MemoryModel } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import {
  Agent,
  BedrockModel,
  InvocationTrigger,
  type MemoryStore,
  type Plugin,
  SessionManager,
  type Storage,
} from '@strands-agents/sdk';
import {
  AgentTrigger,
  type ContextPluginOptions,
  contextPlugin,
  conversationPlugin,
  type KeepsakeOptions,
  KeepsakeStorage,
  keepsake,
  strandsModel,
} from '../src/index.ts';

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

const conversations = new ConversationMemory({ store, fullSessionMemory: true });
conversationPlugin(conversations, { kind: 'team', userId: 'alice' }) satisfies Plugin;
// @ts-expect-error a memory manager has no conversations
conversationPlugin(memory);

const storage: Storage = new KeepsakeStorage({ store });
new Agent({ storage, sessionManager: new SessionManager({ sessionId: 'chat-42' }) });

// @ts-expect-error the memory is required
keepsake();
// @ts-expect-error a store is not a memory manager
keepsake(store);

strandsModel(new BedrockModel()) satisfies MemoryModel;
contextPlugin({ render: ({ agent, messages }) => `${agent.sessionId} ${messages.length}` }) satisfies Plugin;
({
  render: async () => undefined,
  trigger: ({ agent }) => agent.appState.get('x') === 1,
}) satisfies ContextPluginOptions;
// @ts-expect-error a text is not a function
contextPlugin({ render: 'now' });

// Settings and stores of the Strands SDK fit.
new InMemoryStore({ name: 'a', extraction: { trigger: [new InvocationTrigger()], filter: { exclude: ['toolUse'] } } });
declare const theirs: MemoryStore;
new MemoryManager({ stores: [theirs] });
// @ts-expect-error a misspelt field
new InMemoryStore({ name: 'a', extraction: { triger: [new InvocationTrigger()] } });
// @ts-expect-error a filter is a function or excludes kinds
new InMemoryStore({ name: 'a', extraction: { filter: { include: ['text'] } } });
