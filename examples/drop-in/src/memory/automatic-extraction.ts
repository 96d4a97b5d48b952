import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  writable: true,
  extraction: true, // by a ModelExtractor with the agent's model, every 5 turns
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [store] }, printer: false });

for (let turn = 1; turn <= 5; turn++) await agent.invoke(`I have visited city ${turn}.`);
await agent.memoryManager?.flush();
console.log((await store.search('visited', { maxSearchResults: 10 })).length);
