import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  writable: true,
  extraction: true, // from the conversation, every 5 turns
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({
  model: new BedrockModel(),
  memoryManager: { stores: [store], addToolConfig: true }, // the agent can save, too
  printer: false,
});

console.log(String(await agent.invoke('Remember: The meeting is on Tuesday.')));
for (let turn = 2; turn <= 5; turn++) await agent.invoke(`I have visited city ${turn}.`);
await agent.memoryManager?.flush();
for (const query of ['meeting', 'city 2']) console.log((await store.search(query))[0]?.content);
