import { memoryRunner, memoryTools, recentHistory } from '@keepsake/openai-agents';
import { Agent } from '@openai/agents';
import type { Turn } from './turn.ts';

/** The variable with the key of the model. */
export const key = 'OPENAI_API_KEY';

export async function reply({ content, session, memory, signal }: Turn): Promise<string> {
  const agent = new Agent({
    name: 'Assistant',
    model: process.env.OPENAI_MODEL || 'gpt-5-mini',
    instructions: 'You are a helpful assistant. Be brief.',
    tools: memoryTools(memory),
  });
  // The session keeps the whole conversation; the model reads its latest turns.
  const runner = memoryRunner(memory, { sessionInputCallback: recentHistory({ maxTurns: 20 }) });
  const { finalOutput } = await runner.run(agent, content, { session, signal });
  return finalOutput ?? '';
}
