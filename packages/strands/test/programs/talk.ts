// Runs one conversation of a Strands agent in a separate process. Arguments: a directory, the user's message and the
// model's answer. Prints the model's input. With `killed`, ends by SIGKILL right after the answer.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent } from '@strands-agents/sdk';
import { keepsake } from '../../src/index.ts';

const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// The messages are extracted only at the end; until then, they are in the outbox.
const trigger = { name: 'never', attach() {} };
const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
const memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const model = new ScriptedModel(answer);
await new Agent({ model, plugins: [keepsake(memory)], printer: false }).invoke(says);
process.stdout.write(JSON.stringify(model.inputs[0]));
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
await memory.flush();
await outbox.close();
await store.close();
