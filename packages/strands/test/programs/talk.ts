// Runs one conversation of a Strands agent in a separate process. Arguments: a directory, the user's message and the
// model's answer. Prints the model's input. With `killed`, ends by SIGKILL right after the answer; with `killed in a tool`,
// in the second of two rounds of tool calls.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { untilFound } from '@keepsake/testing/until-found';
import { Agent, tool } from '@strands-agents/sdk';
import { z } from 'zod';
import { keepsake } from '../../src/index.ts';

const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// The messages are extracted only at the end; until then, they are in the outbox.
const trigger = { name: 'never', attach() {} };
const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
const memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const rounds = fate === 'killed in a tool' ? [1, 2] : [];
const model = new ScriptedModel(...rounds.map((round) => ({ tool: 'work', input: { round } })), answer);
const work = tool({
  name: 'work',
  description: 'Works.',
  inputSchema: z.object({ round: z.number() }),
  callback: async ({ round }) => {
    if (round === 1) return 'Done.';
    process.stdout.write(JSON.stringify(model.inputs[0]));
    await untilFound(async () => (await outbox.within(['keepsake-outbox']).list()).items);
    process.kill(process.pid, 'SIGKILL');
    return '';
  },
});
await new Agent({ model, tools: [work], plugins: [keepsake(memory)], printer: false }).invoke(says);
process.stdout.write(JSON.stringify(model.inputs[0]));
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
await memory.flush();
await outbox.close();
await store.close();
