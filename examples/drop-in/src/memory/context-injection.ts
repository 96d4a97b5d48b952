import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent, type MessageData } from '@strands-agents/sdk';
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
    injection: {
      trigger: ({ messages }) => messages.length >= 3, // from the second question on
      maxEntries: 3,
      query: ({ messages }: { messages: MessageData[] }) => {
        const block = messages.at(-1)?.content[0];
        return block && 'text' in block ? block.text : undefined;
      },
      format: ({ entries }) => entries.map((entry) => `- ${entry.content}`).join('\n'),
    },
  },
  printer: false,
});

await store.add('Alice prefers aisle seats.');
for (let turn = 1; turn <= 2; turn++) console.log(String(await agent.invoke('Which seats does Alice prefer?')));
