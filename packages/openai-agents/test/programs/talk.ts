// One run of an agent, in a process of its own: takes a directory, what the user says, and what the model answers, and
// prints what the model was given.
import { InvocationTrigger, MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { Agent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { memoryRunner } from '../../src/index.ts';

setTracingDisabled(true);
const [directory = '', says = '', answer = ''] = process.argv.slice(2);
await using store = new FileStore({ directory, name: 'facts', extraction: { trigger: new InvocationTrigger() } });
await using memory = new MemoryManager({ stores: [store] });
const model = new ScriptedModel([[assistantMessage(answer)]]);
await memoryRunner(memory).run(new Agent({ name: 'Guide', model }), says);
process.stdout.write(JSON.stringify(model.lastCall?.request.input));
