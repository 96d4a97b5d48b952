import { MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { type Agent, RunContext, RunState, type RunToolApprovalItem } from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';

/** A call of a tool that waits for approval. */
export interface PendingApproval {
  readonly callId: string;
  readonly tool: string;
  /** The arguments of the call, as JSON text. */
  readonly arguments: string;
  /** The agent that wants to call the tool. */
  readonly agent: string;
  /** The call was approved before, and what became of it could not be saved. */
  readonly mayHaveRun?: true;
}

/**
 * What a person decided: `true` or `false` for all pending calls, or by call id. A text rejects the call, and the model reads
 * it. Calls without a decision keep waiting. A call that may have run can't be approved again: find out what it did, and pass a
 * text that tells the model.
 */
export type Decisions = boolean | { readonly [callId: string]: boolean | string };

/** The checkpoint of a run that waits for approvals. */
export interface ApprovalCheckpoint {
  readonly kind: 'openai-agents';
  /** The state of the run, as serialised by the SDK. */
  readonly state: string;
  readonly approvals: readonly PendingApproval[];
}

/** @param before - The checkpoint from which the run was resumed. */
export function checkpointOf(
  state: RunState<unknown, AnyAgent>,
  interruptions: readonly RunToolApprovalItem[],
  before: ApprovalCheckpoint | undefined,
): ApprovalCheckpoint {
  const approvals = interruptions.map(toPending);
  const started = before?.approvals.filter(({ mayHaveRun }) => mayHaveRun).map(({ callId }) => callId) ?? [];
  return withStarted({ kind: 'openai-agents', state: state.toString(), approvals }, started);
}

/** The checkpoint once calls are approved. It is saved before they run, because what they did may never be saved. */
export function withStarted(checkpoint: ApprovalCheckpoint, callIds: readonly string[]): ApprovalCheckpoint {
  const approvals = checkpoint.approvals.map((approval) =>
    callIds.includes(approval.callId) ? { ...approval, mayHaveRun: true as const } : approval,
  );
  return { ...checkpoint, approvals };
}

/** The checkpoint of a stored run; `undefined` if the run was not waiting for approvals. */
export function readCheckpoint(value: unknown): ApprovalCheckpoint | undefined {
  return isObject(value) && value.kind === 'openai-agents' ? (value as unknown as ApprovalCheckpoint) : undefined;
}

/** The state of a run, and the calls that were approved. */
export interface Restored {
  readonly state: RunState<unknown, AnyAgent>;
  readonly approved: readonly string[];
}

/**
 * Restores the state of a run, with the context of the caller if there is one, and applies the decisions to it.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a decision on a call that does not wait, or the approval of one that may have run.
 */
export async function restoreState(
  agent: Agent<unknown, 'text'>,
  { state: text, approvals }: ApprovalCheckpoint,
  context: unknown,
  decisions: Decisions | undefined,
): Promise<Restored> {
  const restored: RunState<unknown, Agent<unknown, 'text'>> = context === undefined
    ? await RunState.fromString(agent, text)
    : await RunState.fromStringWithContext(agent, text, toContext(context));
  const state = restored as unknown as RunState<unknown, AnyAgent>;
  const pending = state.getInterruptions();
  if (typeof decisions === 'object') expectPending(decisions, pending);
  const decisionOn = (item: RunToolApprovalItem) =>
    typeof decisions === 'object' ? decisions[callIdOf(item)] : decisions;
  const approved = pending.filter((item) => decisionOn(item) === true).map(callIdOf);
  const repeated = approvals.find(({ callId, mayHaveRun }) => mayHaveRun && approved.includes(callId));
  if (repeated !== undefined) throw mayHaveRunError(repeated);
  for (const item of pending) {
    const decision = decisionOn(item);
    if (decision === true) state.approve(item);
    else if (decision === false) state.reject(item);
    else if (decision !== undefined) state.reject(item, { message: decision });
  }
  return { state, approved };
}

function mayHaveRunError({ callId, tool }: PendingApproval): MemoryError {
  const id = JSON.stringify(callId);
  return new MemoryError(
    'INVALID_ARGUMENT',
    `The call ${id} of ${tool} was approved before, and may have run. Find out, and tell the model in \`decisions\`, such as { ${id}: 'It ran. Do not call it again.' }.`,
  );
}

function expectPending(decisions: object, pending: readonly RunToolApprovalItem[]): void {
  const pendingIds = pending.map(callIdOf);
  const unknown = Object.keys(decisions).find((id) => !pendingIds.includes(id));
  if (unknown === undefined) return;
  throw new MemoryError('INVALID_ARGUMENT', `No call with the id ${JSON.stringify(unknown)} waits for approval.`);
}

function toPending(item: RunToolApprovalItem): PendingApproval {
  const { name = '', arguments: argumentText = '', agent } = item;
  return { callId: callIdOf(item), tool: name, arguments: argumentText, agent: agent.name };
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  return 'callId' in rawItem ? rawItem.callId : (rawItem.id ?? '');
}

function toContext(context: unknown): RunContext<unknown> {
  return context instanceof RunContext ? context : new RunContext(context);
}
