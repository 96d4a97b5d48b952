import { MemoryManager } from '@keepsake/core';
import { OpenAIConversationsSession, OpenAIVectorStore } from '@keepsake/openai';
import { memoryRunner } from '@keepsake/openai-agents';
import { Agent, type AgentInputItem, OpenAIResponsesModel } from '@openai/agents';
import type OpenAI from 'openai';

/** Sends a message to an agent with memories in a vector store. Returns its answer and the session. */
export async function chat(
  client: OpenAI,
  vectorStoreId: string,
  user: string,
  text: string,
): Promise<{ answer: string; session: OpenAIConversationsSession<AgentInputItem> }> {
  const facts = new OpenAIVectorStore({
    client,
    vectorStoreId,
    name: 'facts',
    namespace: ['u', user],
    extraction: false,
  });
  const runner = memoryRunner(new MemoryManager({ stores: [facts] }));
  const agent = new Agent({ name: 'Guide', model: new OpenAIResponsesModel(client, 'gpt-5-mini') });
  const session = new OpenAIConversationsSession<AgentInputItem>({ client });
  const { finalOutput } = await runner.run(agent, text, { session });
  return { answer: finalOutput ?? '', session };
}
