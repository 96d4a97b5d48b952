// Kills itself with two conversations of Strands agents open: one is in the second of two rounds of tool calls, the other
// has just been answered. Arguments: a directory, in which each has its own, and the user's message.
import { join } from 'node:path';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { untilFound } from '@keepsake/testing/until-found';
import { Agent, tool } from '@strands-agents/sdk';
import { z } from 'zod';
import { keepsake } from '../../src/index.ts';
import { openMemory, say } from '../support/agent-memory.ts';

const [directory = '', says = ''] = process.argv.slice(2);
const { memory, outbox } = await openMemory(join(directory, 'in a tool'));
const reached = Promise.withResolvers<void>();
const work = tool({
  name: 'work',
  description: 'Works, and never ends the second time.',
  inputSchema: z.object({ round: z.number() }),
  callback: async ({ round }) => {
    if (round === 1) return 'Done.';
    reached.resolve();
    return new Promise<string>(() => {});
  },
});
const model = new ScriptedModel(...[1, 2].map((round) => ({ tool: 'work', input: { round } })));
void new Agent({ model, tools: [work], plugins: [keepsake(memory)], printer: false }).invoke(says);
await reached.promise;
await untilFound(async () => (await outbox.within(['keepsake-outbox']).list()).items);
const answered = await openMemory(join(directory, 'after the answer'));
await say(answered.memory, says, 'How nice.');
process.kill(process.pid, 'SIGKILL');
