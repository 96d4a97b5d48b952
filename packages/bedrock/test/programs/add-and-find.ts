/* A program that makes no client, closes nothing, and ends. The environment says where AWS is. */
import { BedrockKnowledgeBaseStore } from '../../src/index.ts';

const connection = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' } as const;
const facts = new BedrockKnowledgeBaseStore({
  name: 'facts',
  connection,
  namespace: ['user', 'alice'],
  writable: true,
});
await facts.add('Likes tea');
console.log((await facts.search('tea')).map(({ content }) => content).join());
