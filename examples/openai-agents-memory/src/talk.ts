/** One process: sends one message to the agent. */
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileSession, FileStore } from '@keepsake/file';
import { memoryRunner, memoryTools } from '@keepsake/openai-agents';
import { Agent, type AgentInputItem, setTracingDisabled } from '@openai/agents';
import { localModel } from './local-model.ts';

const [directory = '.keepsake', text = ''] = process.argv.slice(2);
const withKey = Boolean(process.env.OPENAI_API_KEY);
if (!withKey) setTracingDisabled(true);

const store = new FileStore({ directory, name: 'chats', extraction: { trigger: new InvocationTrigger() } });
const memory = new MemoryManager({ stores: [store] });

try {
  const agent = new Agent({ name: 'Guide', tools: memoryTools(memory), ...(!withKey && { model: localModel() }) });
  const session = new FileSession<AgentInputItem>({ directory }); // a new one each time: only memory connects them
  const { finalOutput } = await memoryRunner(memory).run(agent, text, { session });
  console.log(`process ${process.pid}\n  You:   ${text}\n  Agent: ${finalOutput}`);
} finally {
  // Pending memories are saved before the store closes.
  await memory.flush();
  await store.close();
}
