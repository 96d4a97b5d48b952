// One conversation of a Strands agent, in a process of its own: takes a directory, what the user says, and what the
// model answers, and prints what the model was given.
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { Agent } from '@strands-agents/sdk';
import { keepsake } from '../../src/index.ts';
import { ScriptedModel } from './scripted-model.ts';

const [directory = '', says = '', answer = ''] = process.argv.slice(2);
await using store = new FileStore({ directory, name: 'facts', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });
const model = new ScriptedModel(answer);
await new Agent({ model, plugins: [keepsake(memory)], printer: false }).invoke(says);
process.stdout.write(JSON.stringify(model.inputs[0]));
