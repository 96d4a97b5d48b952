import { ConversationMemory } from '@keepsake/conversations';
import { FileStore } from '@keepsake/file';
import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { conversationRunner } from '../../src/index.ts';

const call = (name: string) => [functionCall(name, {}, { callId: name })];

/** The replies of the model, by step. */
const REPLIES = {
  ask: [call('refund')],
  die: [call('safe'), call('deadly')],
  approve: [[assistantMessage('Refunded.')]],
  'go on': [[assistantMessage('Done.')]],
};

/**
 * Runs an agent in a conversation: `ask` waits for approval; `die` kills this process in its second tool; `approve` and
 * `go on` resume the run. Returns the output, which tools ran, and the model's input.
 */
export async function converse(directory: string, sessionId: string, step: keyof typeof REPLIES) {
  setTracingDisabled(true);
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
  const model = new ScriptedModel(REPLIES[step]);
  const tools = [make('refund', true), make('safe', false), make('deadly', false)];
  const agent = new Agent({ name: 'Support', model, tools });
  const store = new FileStore({ directory, name: 'chats' });
  const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 0 });
  const runner = conversationRunner({ memory });
  const names = { sessionId, userId: 'alice' };
  const begins = step === 'ask' || step === 'die';
  const result = begins
    ? await runner.run(agent, 'Please.', names)
    : await runner.resume(agent, { ...names, decisions: true });
  const output = result?.interruptions.length === 0 ? result.finalOutput : undefined;
  await memory.close();
  await store.close();
  return { output, ran, input: model.firstCall?.request.input };
}
