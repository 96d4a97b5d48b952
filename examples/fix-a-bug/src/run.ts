/** One process: an agent does one task in a workspace, and its lessons are generated at the end. */
import { workspaceRunner, workspaceTools } from '@keepsake/openai-agents';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { Agent, setTracingDisabled } from '@openai/agents';
import { localAgent } from './local-agent.ts';
import { localMemoryModel } from './local-memory-model.ts';
import { projectTools } from './project-tools.ts';
import { realMemoryModel } from './real-memory-model.ts';

const [directory = '', task = ''] = process.argv.slice(2);
const withKey = Boolean(process.env.OPENAI_API_KEY);
if (!withKey) setTracingDisabled(true);

const memory = new WorkspaceMemory({
  workspace: localDirectory(directory),
  model: withKey ? realMemoryModel() : localMemoryModel(),
});
const agent = new Agent({
  name: 'Engineer',
  instructions: 'You repair the project in this workspace. Run its check before you say that something works.',
  tools: [...projectTools(directory), ...workspaceTools(memory)],
  ...(!withKey && { model: localAgent() }),
});
const { finalOutput, newItems } = await workspaceRunner(memory).run(agent, task);
const calls = newItems.filter(({ type }) => type === 'tool_call_item').length;

const { extracted, usage } = await memory.close();
console.log(`process ${process.pid}
  You:    ${task}
  Agent:  ${finalOutput}
  Tools:  called ${calls} times
  Memory: ${extracted.length} run distilled, ${usage.calls} calls of a model`);
