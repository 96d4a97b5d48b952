// Kills itself in two turns: one is in a tool call, the other has just been answered. Arguments: a directory, in which each
// has its own, and the user's message.
import { join } from 'node:path';
import { untilFound } from '@keepsake/testing/until-found';
import { generateText, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { memoryMiddleware } from '../../src/index.ts';
import { openMemory, say } from '../support/model-memory.ts';
import { scriptedModel } from './scripted-model.ts';

const [directory = '', says = ''] = process.argv.slice(2);
const { memory, outbox } = await openMemory(join(directory, 'in a tool'));
const reached = Promise.withResolvers<void>();
const work = tool({
  description: 'Takes so long that the process does not survive it.',
  inputSchema: z.object({}),
  async execute() {
    reached.resolve();
    return new Promise<string>(() => {});
  },
});
const model = scriptedModel([{ tool: 'work', input: {} }]);
const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(memory) });
void generateText({ model: wrapped, prompt: says, tools: { work } });
await reached.promise;
await untilFound(async () => (await outbox.within(['keepsake-outbox']).list()).items);
const answered = await openMemory(join(directory, 'after the answer'));
await say(answered.memory, says, 'How nice.');
process.kill(process.pid, 'SIGKILL');
