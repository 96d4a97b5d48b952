import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const store = new BedrockKnowledgeBaseStore({
  name: 'preferences',
  writable: true,
  config: { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' },
});
const agent = new Agent({
  model: new BedrockModel(),
  memoryManager: {
    stores: [store],
    searchToolConfig: { name: 'recall', description: 'Search what is remembered about the user.' },
    addToolConfig: { waitForWrites: false }, // returns before the store has answered
  },
  printer: false,
});

console.log(String(await agent.invoke('Remember: The meeting is on Tuesday.')));
console.log(
  agent.toolRegistry
    .list()
    .map(({ name }) => name)
    .sort()
    .join(', '),
);
