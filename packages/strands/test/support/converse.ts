import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, tool } from '@strands-agents/sdk';
import { z } from 'zod';
import { conversationPlugin } from '../../src/index.ts';

const call = (name: string): Reply => ({ tool: name, input: {} });

/** The replies of the model, by step. */
const REPLIES = {
  ask: [call('refund')],
  die: [call('safe'), call('deadly')],
  answer: ['Refunded.'],
  'go on': ['Done.'],
} satisfies Record<string, Reply[]>;

/**
 * Invokes an agent in a conversation: `ask` is interrupted; `die` kills this process in its second tool; `answer` and `go on`
 * continue the run. Returns why it stopped, which tools ran, and the model's input.
 */
export async function converse(directory: string, sessionId: string, step: keyof typeof REPLIES) {
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
  const model = new ScriptedModel(...REPLIES[step]);
  const store = new FileStore({ directory, name: 'chats' });
  const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 0 });
  const plugin = conversationPlugin(memory, { sessionId, userId: 'alice' });
  const agent = new Agent({ model, tools, plugins: [plugin], printer: false, retryStrategy: null });
  const restored = await plugin.restore(agent);
  const responses = restored?.interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response: 'yes' } }));
  const { stopReason } = await agent.invoke(responses ?? 'Please.');
  await memory.close();
  await store.close();
  return { stopReason, ran, input: model.inputs[0] };
}
