// Invokes an agent in a conversation, in a separate process. Arguments: a directory and a step. `ask` is interrupted; `die` is
// killed in its second tool; `answer` and `go on` continue the run. Prints the answer, which tools ran, and the model's input.
import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, tool } from '@strands-agents/sdk';
import { z } from 'zod';
import { conversationPlugin } from '../../src/index.ts';

const [directory = '', step = ''] = process.argv.slice(2);
const ran: string[] = [];
const make = (name: string, work: (ask: () => string) => string) =>
  tool({
    name,
    description: name,
    inputSchema: z.object({}),
    callback: (_, context) => {
      const result = work(() => String(context?.interrupt({ name: 'approval' })));
      ran.push(name);
      return result;
    },
  });
const tools = [
  make('refund', (ask) => ask()),
  make('safe', () => 'done'),
  make('deadly', () => String(process.kill(process.pid, 'SIGKILL'))),
];
const call = (name: string): Reply => ({ tool: name, input: {} });
const replies: Record<string, Reply[]> = {
  ask: [call('refund')],
  die: [call('safe'), call('deadly')],
  answer: ['Refunded.'],
  'go on': ['Done.'],
};
const model = new ScriptedModel(...(replies[step] ?? []));

const store = new FileStore({ directory, name: 'chats' });
const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 0 });
const plugin = conversationPlugin(memory, { sessionId: 'chat', userId: 'alice' });
const agent = new Agent({ model, tools, plugins: [plugin], printer: false, retryStrategy: null });
const restored = await plugin.restore(agent);
const responses = restored?.interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response: 'yes' } }));
const { stopReason } = await agent.invoke(responses ?? 'Please.');
process.stdout.write(JSON.stringify({ stopReason, ran, input: model.inputs[0] }));
await memory.close();
await store.close();
