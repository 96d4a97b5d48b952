import {
  type AgentInputItem,
  InputGuardrailTripwireTriggered,
  MaxTurnsExceededError,
  OutputGuardrailTripwireTriggered,
  type RunItem,
  type RunResult,
  type StreamedRunResult,
  ToolInputGuardrailTripwireTriggered,
  ToolOutputGuardrailTripwireTriggered,
} from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';
import type { RunSegment } from './run-memory.ts';

/** The input of a run, and the items that it generated before it was resumed. */
export interface Begun {
  readonly input: readonly AgentInputItem[];
  readonly itemsBefore: readonly RunItem[];
}

/** The segment of a run that has ended or waits for approvals. */
export function segmentOfResult(
  { input, itemsBefore }: Begun,
  result: RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>,
): RunSegment {
  const { interruptions } = result;
  const isCancelled = 'cancelled' in result && result.cancelled;
  const state = isCancelled ? 'cancelled' : interruptions.length > 0 ? 'interrupted' : 'completed';
  return {
    input,
    generatedItems: rawItems(newOf(result.newItems, itemsBefore)),
    ...(interruptions.length > 0 && { interruptions: rawItems(interruptions) }),
    terminal: { state, hasFinalOutput: state === 'completed' },
    // The SDK warns if this is read before the end.
    ...(state === 'completed' && { finalOutput: result.finalOutput }),
  };
}

/** The segment of a run that threw an error. */
export function segmentOfError(
  { input, itemsBefore }: Begun,
  error: unknown,
  done: readonly RunItem[],
  isAborted: boolean,
): RunSegment {
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  const terminal = { state: stateOf(error, isAborted), exceptionType: name, exceptionMessage: message };
  return {
    input,
    generatedItems: rawItems(newOf(done, itemsBefore)),
    terminal: { ...terminal, hasFinalOutput: false },
  };
}

function stateOf(error: unknown, isAborted: boolean): RunSegment['terminal']['state'] {
  if (isAborted) return 'cancelled';
  if (error instanceof MaxTurnsExceededError) return 'max_turns_exceeded';
  return TRIPWIRES.some((tripwire) => error instanceof tripwire) ? 'guardrail_tripped' : 'failed';
}

const TRIPWIRES = [
  InputGuardrailTripwireTriggered,
  OutputGuardrailTripwireTriggered,
  ToolInputGuardrailTripwireTriggered,
  ToolOutputGuardrailTripwireTriggered,
];

/** The items that are not in `before`. A pending approval repeats the call that it is for. */
export function newOf(items: readonly RunItem[], before: readonly RunItem[]): RunItem[] {
  return items.filter((item) => item.type !== 'tool_approval_item' && !before.includes(item));
}

function rawItems(items: readonly RunItem[]): unknown[] {
  return items.map(({ rawItem }) => rawItem);
}
