import type { ConversationHandle, Run } from '@keepsake/conversations';
import type { JsonObject } from '@keepsake/core';

type Handle = ConversationHandle<JsonObject>;

/** What the agent needs to know to go on: which call waits, and for what. */
type Checkpoint = { tool: 'refund'; order: string; amount: number };

/** Starts a run, which may not refund money by itself: it stops there, and says what it waits for. */
export async function ask(agent: Handle, runId: string, order: string): Promise<void> {
  const checkpoint: Checkpoint = { tool: 'refund', order, amount: 80 };
  await agent.save({
    runId,
    status: 'paused',
    pauseReason: 'A person has to approve the refund.',
    checkpoint,
    items: [
      { role: 'user', content: `Order ${order} came broken. I want my money back.` },
      { type: 'function_call', callId: 'call-1', name: 'refund', arguments: JSON.stringify(checkpoint) },
    ],
  });
}

/** Goes on with a run that somebody has approved. Whoever comes second, in whichever process, gets `CONFLICT`. */
export async function approve(agent: Handle, run: Run): Promise<void> {
  // From here on the run is ours: of the version that was loaded there can be one successor.
  const { version = 0 } = await agent.save({ ...run, status: 'running' });
  const { order, amount } = run.checkpoint as Checkpoint;
  await agent.save({
    runId: run.runId,
    version,
    status: 'completed',
    items: [
      ...run.items,
      { type: 'function_call_result', callId: 'call-1', name: 'refund', output: `${amount} EUR sent` },
      { role: 'assistant', content: `The ${amount} EUR for order ${order} are on their way.` },
    ],
  });
}
