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
}

/**
 * What a person decided: `true` or `false` for all pending calls, or by call id. A text rejects the call, and the model reads
 * it. Calls without a decision keep waiting.
 */
export type Decisions = boolean | { readonly [callId: string]: boolean | string };

/** The checkpoint of a run that waits for approvals. */
export interface ApprovalCheckpoint {
  readonly kind: 'openai-agents';
  /** The state of the run, as serialised by the SDK. */
  readonly state: string;
  readonly approvals: readonly PendingApproval[];
}

export function checkpointOf(
  state: RunState<unknown, AnyAgent>,
  interruptions: readonly RunToolApprovalItem[],
): ApprovalCheckpoint {
  return { kind: 'openai-agents', state: state.toString(), approvals: interruptions.map(toPending) };
}

/** The checkpoint of a stored run; `undefined` if the run was not waiting for approvals. */
export function readCheckpoint(value: unknown): ApprovalCheckpoint | undefined {
  return isObject(value) && value.kind === 'openai-agents' ? (value as unknown as ApprovalCheckpoint) : undefined;
}

/** Restores the state of a run, with the context of the caller if there is one, and applies the decisions to it. */
export async function restoreState(
  agent: Agent<unknown, 'text'>,
  { state: text }: ApprovalCheckpoint,
  context: unknown,
  decisions: Decisions | undefined,
): Promise<RunState<unknown, AnyAgent>> {
  const state: RunState<unknown, Agent<unknown, 'text'>> = context === undefined
    ? await RunState.fromString(agent, text)
    : await RunState.fromStringWithContext(agent, text, toContext(context));
  decide(state as unknown as RunState<unknown, AnyAgent>, decisions);
  return state as unknown as RunState<unknown, AnyAgent>;
}

function decide(state: RunState<unknown, AnyAgent>, decisions: Decisions | undefined): void {
  const pending = state.getInterruptions();
  if (typeof decisions === 'object') expectPending(decisions, pending);
  for (const item of pending) {
    const decision = typeof decisions === 'object' ? decisions[callIdOf(item)] : decisions;
    if (decision === true) state.approve(item);
    else if (decision === false) state.reject(item);
    else if (decision !== undefined) state.reject(item, { message: decision });
  }
}

function expectPending(decisions: object, pending: readonly RunToolApprovalItem[]): void {
  const known = pending.map(callIdOf);
  const unknown = Object.keys(decisions).find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw new MemoryError('INVALID_ARGUMENT', `No call with the id ${JSON.stringify(unknown)} waits for approval.`);
}

function toPending(item: RunToolApprovalItem): PendingApproval {
  const { name = '', arguments: given = '', agent } = item;
  return { callId: callIdOf(item), tool: name, arguments: given, agent: agent.name };
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  return 'callId' in rawItem ? rawItem.callId : (rawItem.id ?? '');
}

function toContext(context: unknown): RunContext<unknown> {
  return context instanceof RunContext ? context : new RunContext(context);
}
