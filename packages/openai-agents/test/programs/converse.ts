// Runs an agent in a conversation, in a separate process. Arguments: a directory and a step. `ask` waits for approval; `die`
// is killed in its second tool; `approve` and `go on` resume the run. Prints the model's input, and which tools ran.
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { conversationRunner } from '../../src/index.ts';

setTracingDisabled(true);
const [directory = '', step = ''] = process.argv.slice(2);
const ran: string[] = [];
const make = (name: string, needsApproval: boolean) =>
  tool({
    name,
    description: name,
    parameters: z.object({}),
    needsApproval,
    execute: async () => {
      if (name === 'deadly') process.kill(process.pid, 'SIGKILL');
      ran.push(name);
      return `${name} done`;
    },
  });
const call = (name: string) => [functionCall(name, {}, { callId: name })];
const replies = {
  ask: [call('refund')],
  die: [call('safe'), call('deadly')],
  approve: [[assistantMessage('Refunded.')]],
  'go on': [[assistantMessage('Done.')]],
}[step];
const model = new ScriptedModel(replies ?? []);
const agent = new Agent({
  name: 'Support',
  model,
  tools: [make('refund', true), make('safe', false), make('deadly', false)],
});

const store = new FileStore({ directory, name: 'chats' });
const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 0 });
const runner = conversationRunner({ memory });
const names = { sessionId: 'chat', userId: 'alice' };
const result = ['ask', 'die'].includes(step)
  ? await runner.run(agent, 'Please.', names)
  : await runner.resume(agent, { ...names, decisions: true });
const input = model.firstCall?.request.input;
process.stdout.write(
  JSON.stringify({ output: result?.interruptions.length === 0 ? result.finalOutput : undefined, ran, input }),
);
await memory.close();
await store.close();
