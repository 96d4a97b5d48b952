/** One process: an agent has a conversation, and its lessons are generated at the end. */
import { localMemoryModel } from '@keepsake/example-fix-a-bug/local-memory-model';
import { realMemoryModel } from '@keepsake/example-fix-a-bug/real-memory-model';
import { InMemorySession } from '@keepsake/in-memory';
import { workspaceRunner, workspaceTools } from '@keepsake/openai-agents';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { Agent, type AgentInputItem, setTracingDisabled } from '@openai/agents';
import { localAgent } from './local-agent.ts';

const [directory = '', name = '', ...texts] = process.argv.slice(2);
const withKey = Boolean(process.env.OPENAI_API_KEY);
if (!withKey) setTracingDisabled(true);

// The layout separates memories, not the name of the agent.
const memory = new WorkspaceMemory({
  workspace: localDirectory(directory),
  layout: { sessionsDir: `sessions/${name}`, memoriesDir: `memories/${name}` },
  model: withKey ? realMemoryModel() : localMemoryModel(),
});

try {
  const agent = new Agent({ name, tools: workspaceTools(memory), ...(!withKey && { model: localAgent() }) });
  const runner = workspaceRunner(memory);

  // The turns are one conversation of the memory because they share a session.
  const session = new InMemorySession<AgentInputItem>({});
  console.log(`process ${process.pid}: ${name}`);
  for (const text of texts) {
    const { finalOutput } = await runner.run(agent, text, { session });
    console.log(`  You:   ${text}\n  Agent: ${finalOutput}`);
  }
} finally {
  await memory.close();
}
