import type { ConversationHandle, Run } from '@keepsake/conversations';
import type { JsonObject } from '@keepsake/core';

type Handle = ConversationHandle<JsonObject>;

/** The state that the agent needs to continue: the pending call and its arguments. */
type Checkpoint = { tool: 'refund'; order: string; amount: number };

/** Starts a run. The agent must not refund money without approval, so the run pauses and records what it waits for. */
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

/** Resumes an approved run. If another process has resumed it already, rejects with `CONFLICT`. */
export async function approve(agent: Handle, run: Run): Promise<void> {
  // From here on, this process owns the run, because only one save can succeed the loaded version.
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
