import type { Embedder, MemoryModel, MemoryStore, Session } from '@keepsake/core';
import { InMemorySession } from '@keepsake/in-memory';
import { type Agent, type AgentInputItem, type Session as AgentsSession, Runner } from '@openai/agents';
import OpenAI from 'openai';
import {
  compacting,
  OpenAIConversationsSession,
  OpenAIVectorStore,
  openaiEmbedder,
  openaiModel,
} from '../src/index.ts';

/* Types that must fit, which only the compiler reads. */

declare const agent: Agent;
const client = new OpenAI();

// A client of the published SDK is what everything here takes.
export const session: Session = new OpenAIConversationsSession({ client });
export const store: MemoryStore = new OpenAIVectorStore({ client, vectorStoreId: 'vs_1', name: 'a', namespace: ['a'] });
export const model: MemoryModel = openaiModel({ client, model: 'gpt-5-mini' });
export const embedder: Embedder = openaiEmbedder({ client, model: 'text-embedding-3-small', dimensions: 512 });

// Sessions drop into the OpenAI Agents SDK, whether their items are named or not.
export const named: AgentsSession = new OpenAIConversationsSession<AgentInputItem>({ client });
export const bare = new Runner().run(agent, 'Hi', { session: new OpenAIConversationsSession({ client }) });
export const compacted: AgentsSession = compacting(new InMemorySession<AgentInputItem>(), {
  client,
  model: 'gpt-5-mini',
  threshold: 50,
  archive: new InMemorySession<AgentInputItem>(),
});
