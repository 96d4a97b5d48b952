/** One process, in which one thing is said to the agent. */
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { keepsake } from '@keepsake/strands';
import { Agent, BedrockModel } from '@strands-agents/sdk';
import { LocalModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const model = process.env.AWS_BEARER_TOKEN_BEDROCK ? new BedrockModel() : new LocalModel();

// Both are closed at the end, the memory first: what is outstanding is saved.
await using store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });

const agent = new Agent({ model, plugins: [keepsake(memory)], printer: false });
const answer = await agent.invoke(text);
console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${answer}`);
