// Runs an agent in a separate process. Arguments: a directory, the user's message and the model's answer. Prints the
// model's input. With `killed`, ends by SIGKILL right after the answer.
import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { Agent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { memoryRunner } from '../../src/index.ts';

setTracingDisabled(true);
const [directory = '', says = '', answer = '', fate] = process.argv.slice(2);
// The messages are extracted only at the end; until then, they are in the outbox.
const trigger = { name: 'never', attach() {} };
const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
const memory = new MemoryManager({ stores: [store], outbox });
await memory.recover();
const model = new ScriptedModel([[assistantMessage(answer)]]);
await memoryRunner(memory).run(new Agent({ name: 'Guide', model }), says);
process.stdout.write(JSON.stringify(model.lastCall?.request.input));
if (fate === 'killed') process.kill(process.pid, 'SIGKILL');
await memory.flush();
await outbox.close();
await store.close();
