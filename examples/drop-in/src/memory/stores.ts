import { type BedrockKnowledgeBaseConfig, BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

// One connection for all stores, which differ in name and scope.
const connection: BedrockKnowledgeBaseConfig = {
  knowledgeBaseId: 'KB123',
  dataSourceType: 'CUSTOM',
  dataSourceId: 'DS456',
};
const personal = new BedrockKnowledgeBaseStore({
  name: 'personal',
  description: 'What is known about this user.',
  writable: true,
  scope: 'user-abc',
  config: connection,
});
const team = new BedrockKnowledgeBaseStore({
  name: 'team',
  description: 'What the whole team knows.',
  scope: 'team-xyz',
  config: connection,
});
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [personal, team] }, printer: false });

await personal.add('Alice prefers aisle seats.');
const colleague = new BedrockKnowledgeBaseStore({
  name: 'team',
  writable: true,
  scope: 'team-xyz',
  config: connection,
});
await colleague.add('The team books seats in May.');
console.log(String(await agent.invoke('Which seats, and when?')));
