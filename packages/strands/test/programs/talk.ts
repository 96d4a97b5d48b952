// One conversation of a Strands agent, in a process of its own: takes a directory, what the user says, and what the
// model answers, and prints what the model was given. With `killed` it ends right after its answer, by SIGKILL.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent } from '@strands-agents/sdk';
import { keepsake } from '../../src/index.ts';

const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// What is said is saved at the end alone, and by then in the outbox.
const trigger = { name: 'never', attach() {} };
await using store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
await using outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
await using memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const model = new ScriptedModel(answer);
await new Agent({ model, plugins: [keepsake(memory)], printer: false }).invoke(says);
process.stdout.write(JSON.stringify(model.inputs[0]));
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
