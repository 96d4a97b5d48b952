import { MemoryManager } from '@keepsake/core';
import { OpenAIConversationsSession, OpenAIVectorStore } from '@keepsake/openai';
import { memoryRunner } from '@keepsake/openai-agents';
import { Agent, type AgentInputItem, OpenAIResponsesModel } from '@openai/agents';
import type OpenAI from 'openai';

/** Says something to an agent that knows what is in a vector store. Gives its answer and the conversation. */
export async function chat(
  client: OpenAI,
  vectorStoreId: string,
  user: string,
  text: string,
): Promise<{ answer: string; session: OpenAIConversationsSession<AgentInputItem> }> {
  const facts = new OpenAIVectorStore({ client, vectorStoreId, name: 'facts', namespace: ['user', user] });
  const runner = memoryRunner(new MemoryManager({ stores: [facts] }));
  const agent = new Agent({ name: 'Guide', model: new OpenAIResponsesModel(client, 'gpt-5-mini') });
  const session = new OpenAIConversationsSession<AgentInputItem>({ client });
  const { finalOutput } = await runner.run(agent, text, { session });
  return { answer: finalOutput ?? '', session };
}
