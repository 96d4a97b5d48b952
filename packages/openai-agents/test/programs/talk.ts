// Runs an agent in a separate process. Arguments: a directory, the user's message and the model's answer. Prints the
// model's input. With `killed`, ends by SIGKILL right after the answer; with `killed in a tool`, in the second of two rounds
// of tool calls.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { untilFound } from '@keepsake/testing/until-found';
import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { memoryRunner } from '../../src/index.ts';

setTracingDisabled(true);
const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// The messages are extracted only at the end; until then, they are in the outbox.
const trigger = { name: 'never', attach() {} };
const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
const memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const rounds = fate === 'killed in a tool' ? [1, 2] : [];
const calls = rounds.map((round) => [functionCall('work', { round }, { callId: `c${round}` })]);
const model = new ScriptedModel([...calls, [assistantMessage(answer)]]);
const work = tool({
  name: 'work',
  description: 'Works.',
  parameters: z.object({ round: z.number() }),
  execute: async ({ round }) => {
    if (round === 1) return 'Done.';
    process.stdout.write(JSON.stringify(model.firstCall?.request.input));
    await untilFound(async () => (await outbox.within(['keepsake-outbox']).list()).items);
    process.kill(process.pid, 'SIGKILL');
    return '';
  },
});
await memoryRunner(memory).run(new Agent({ name: 'Guide', model, tools: [work] }), says);
process.stdout.write(JSON.stringify(model.firstCall?.request.input));
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
await memory.flush();
await outbox.close();
await store.close();
