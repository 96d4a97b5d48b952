// Runs one turn of a conversation in a separate process. Arguments: a directory, the user's message and the model's
// answer. Prints the model's input. With `killed`, ends by SIGKILL right after the answer; with `killed in a tool`, before it.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { untilFound } from '@keepsake/testing/until-found';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { memoryMiddleware } from '../../src/index.ts';
import { scriptedModel } from './scripted-model.ts';

const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// The messages are extracted only at the end; until then, they are in the outbox.
const trigger = { name: 'never', attach() {} };
const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
const memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const isLong = fate === 'killed in a tool';
const model = isLong ? scriptedModel([{ tool: 'work', input: {} }], answer) : scriptedModel(answer);
const print = () => process.stdout.write(JSON.stringify(model.doGenerateCalls[0]?.prompt));
const work = tool({
  description: 'Takes so long that the process does not survive it.',
  inputSchema: z.object({}),
  async execute() {
    print();
    await untilFound(async () => (await outbox.within(['keepsake-outbox']).list()).items);
    process.kill(process.pid, 'SIGKILL');
  },
});
const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(memory) });
await generateText({ model: wrapped, prompt: says, tools: { work }, stopWhen: isStepCount(2) });
print();
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
await memory.flush();
await outbox.close();
await store.close();
