import { BedrockKnowledgeBaseStore } from '@keepsake/bedrock';
import { MemoryManager } from '@keepsake/core';

const config = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' } as const;
const personal = new BedrockKnowledgeBaseStore({ name: 'personal', writable: true, scope: 'user-abc', config });
const team = new BedrockKnowledgeBaseStore({ name: 'team', writable: true, scope: 'team-xyz', config });
const memoryManager = new MemoryManager({ stores: [personal, team] });

await memoryManager.add('Her travel plans: aisle seats', { stores: ['personal'], metadata: { category: 'travel' } });
await memoryManager.add('The travel plans are due in May', { stores: ['team'] });

const all = await memoryManager.search('travel plans');
const scoped = await memoryManager.search('travel plans', { stores: ['personal'], maxSearchResults: 5 });
console.log(all.length, scoped[0]?.content, scoped[0]?.metadata?.category);
