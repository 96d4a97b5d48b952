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

/* Type tests. Only the compiler reads this file. */

declare const agent: Agent;
const client = new OpenAI();

// Clients of the published SDK are accepted everywhere.
export const session: Session = new OpenAIConversationsSession({ client });
export const store: MemoryStore = new OpenAIVectorStore({ client, vectorStoreId: 'vs_1', name: 'a', namespace: ['a'] });
export const model: MemoryModel = openaiModel({ client, model: 'gpt-5-mini' });
export const embedder: Embedder = openaiEmbedder({ client, model: 'text-embedding-3-small', dimensions: 512 });

// Sessions are valid in the OpenAI Agents SDK, with and without an item type.
export const named: AgentsSession = new OpenAIConversationsSession<AgentInputItem>({ client });
const plain = new OpenAIConversationsSession();
export const separate = new Runner().run(agent, 'Hi', { session: plain });
export const bare = new Runner().run(agent, 'Hi', { session: new OpenAIConversationsSession({ client }) });
export const compacted: AgentsSession = compacting(new InMemorySession<AgentInputItem>(), {
  client,
  model: 'gpt-5-mini',
  threshold: 50,
  archive: new InMemorySession<AgentInputItem>(),
});
