// One turn of a conversation, in a process of its own: takes a directory, what the user says, and what the model
// answers, and prints what the model was given.
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { generateText, wrapLanguageModel } from 'ai';
import { memoryMiddleware } from '../../src/index.ts';
import { scriptedModel } from './scripted-model.ts';

const [directory = '', says = '', answer = ''] = process.argv.slice(2);
await using store = new FileStore({ directory, name: 'facts', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });
const model = scriptedModel(answer);
await generateText({ model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory) }), prompt: says });
process.stdout.write(JSON.stringify(model.doGenerateCalls[0]?.prompt));
