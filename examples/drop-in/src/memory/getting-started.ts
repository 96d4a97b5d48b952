import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  description: 'What the user likes, and facts that last.',
  writable: true,
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [store] }, printer: false });

await store.add('Alice prefers aisle seats.');
console.log(String(await agent.invoke('Which seats does Alice prefer?')));
