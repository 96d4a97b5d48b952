/** One process: sends one message to the agent. */
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { keepsake } from '@keepsake/strands';
import { Agent, BedrockModel } from '@strands-agents/sdk';
import { LocalModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const model = process.env.AWS_BEARER_TOKEN_BEDROCK ? new BedrockModel() : new LocalModel();

const store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
const memory = new MemoryManager({ stores: [store] });

try {
  const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
  const answer = await agent.invoke(text);
  console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${answer}`);
} finally {
  // Pending memories are saved before the store closes.
  await memory.flush();
  await store.close();
}
