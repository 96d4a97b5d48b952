import { IntervalTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { keepsake } from '@keepsake/strands';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

const extraction = { trigger: new IntervalTrigger({ turns: 5 }) };
const store = new FileStore({ directory: 'memories', name: 'preferences', extraction });
const memoryManager = new MemoryManager({ stores: [store] });
const agent = new Agent({ model: new BedrockModel(), plugins: [keepsake(memoryManager)], printer: false });

await agent.invoke('I like aisle seats.');
console.log((await store.list()).items.length);

process.on('beforeExit', async () => {
  await memoryManager.flush();
});
