/* A program that uses the default clients and closes nothing. The environment contains the URL of the service. */
import { BedrockKnowledgeBaseStore } from '../../src/index.ts';

const connection = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' } as const;
const facts = new BedrockKnowledgeBaseStore({
  name: 'facts',
  connection,
  namespace: ['u', 'alice'],
  writable: true,
});
await facts.add('Likes tea');
console.log((await facts.search('tea')).map(({ content }) => content).join());
