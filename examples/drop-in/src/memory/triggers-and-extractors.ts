import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent, InvocationTrigger, ModelExtractor } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  writable: true,
  extraction: {
    trigger: new InvocationTrigger(), // after every turn
    extractor: new ModelExtractor({
      model: new BedrockModel(), // can be cheaper than the agent's
      systemPrompt: 'List what the user likes, one fact per entry.',
    }),
  },
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [store] }, printer: false });

await agent.invoke('I like aisle seats.');
await agent.memoryManager?.flush();
console.log((await store.search('seats'))[0]?.content);
