/** One process, in which one thing is said to the agent. */
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileSession, FileStore } from '@keepsake/file';
import { memoryRunner, memoryTools } from '@keepsake/openai-agents';
import { Agent, type AgentInputItem, setTracingDisabled } from '@openai/agents';
import { localModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const withKey = Boolean(process.env.OPENAI_API_KEY);
if (!withKey) setTracingDisabled(true);

// Both are closed at the end, the memory first: what is outstanding is saved.
await using store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });

const agent = new Agent({ name: 'Guide', tools: memoryTools(memory), ...(!withKey && { model: localModel() }) });
const session = new FileSession<AgentInputItem>({ directory }); // a new one each time: only memory knows of the last
const { finalOutput } = await memoryRunner(memory).run(agent, text, { session });
console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${finalOutput}`);
