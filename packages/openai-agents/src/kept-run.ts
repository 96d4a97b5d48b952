import type { EndOfRun, OpenConversationRun, SavedRun } from '@keepsake/internal';
import { storedError } from '@keepsake/internal';
import {
  type AgentInputItem,
  AgentsError,
  type RunItem,
  type RunResult,
  RunState,
  type StreamedRunResult,
} from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';
import { type ApprovalCheckpoint, checkpointOf } from './approvals.ts';
import { newOf } from './run-segment.ts';
import type { RunSteps } from './run-steps.ts';

type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

/** A run that is being saved in a conversation. */
export class KeptRun {
  readonly #open: OpenConversationRun<AgentInputItem>;
  readonly #steps: RunSteps;
  /** The items of this run before it was started or resumed here: the user's input, and what it generated earlier. */
  readonly #begun: readonly AgentInputItem[];
  readonly #before: readonly RunItem[];
  readonly #checkpoint: ApprovalCheckpoint | undefined;

  /** @param checkpoint - The one from which the run was resumed. */
  constructor(
    open: OpenConversationRun<AgentInputItem>,
    steps: RunSteps,
    input: AgentInputItem[] | RunState<unknown, AnyAgent>,
    checkpoint: ApprovalCheckpoint | undefined,
  ) {
    this.#open = open;
    this.#checkpoint = checkpoint;
    this.#steps = steps;
    this.#begun = steps.items;
    this.#before = input instanceof RunState ? [...input._generatedItems] : [];
  }

  get runId(): string {
    return this.#open.runId;
  }

  /** Saves complete rounds of tool calls before the next model call, so that no other process repeats them. */
  async beforeModelCall(input: readonly AgentInputItem[]): Promise<void> {
    if (this.#steps.add(input)) await this.#open.save({ status: 'running', items: this.#steps.items });
  }

  async end(result: Result): Promise<SavedRun> {
    const { interruptions } = result;
    const items = this.#itemsOf(result.newItems);
    const usage = usageOf(result.state);
    if ('cancelled' in result && result.cancelled) return this.#open.save({ status: 'cancelled', items, usage });
    if (interruptions.length > 0) return this.#open.save({ status: 'paused', items, usage, ...this.#waiting(result) });
    return this.#open.save({ status: 'completed', items, usage, output: toJson(result.finalOutput) });
  }

  async fail(error: unknown, isAborted: boolean, runState?: RunState<unknown, AnyAgent>): Promise<SavedRun> {
    const state = runState ?? (error instanceof AgentsError ? error.state : undefined);
    const items = state === undefined ? this.#steps.items : this.#itemsOf(state._generatedItems);
    return this.#open.save({ status: isAborted ? 'cancelled' : 'error', items, error: storedError(error) });
  }

  #waiting({ state, interruptions }: Result): Pick<EndOfRun<AgentInputItem>, 'checkpoint' | 'pauseReason'> {
    const checkpoint = checkpointOf(state, interruptions, this.#checkpoint);
    const calls = checkpoint.approvals.map(({ tool }) => tool).join(', ');
    return { checkpoint, pauseReason: `Waits for the approval of ${calls}.` };
  }

  #itemsOf(generated: readonly RunItem[]): AgentInputItem[] {
    const items = newOf(generated, this.#before).map(({ rawItem }) => rawItem as AgentInputItem);
    return [...this.#begun, ...items];
  }
}

function usageOf({ usage }: RunState<unknown, AnyAgent>): Record<string, number> {
  const { requests, inputTokens, outputTokens } = usage;
  return { requests, inputTokens, outputTokens };
}

/** Output types can have values that JSON has not, such as dates. */
function toJson(output: unknown): unknown {
  return output === undefined ? undefined : JSON.parse(JSON.stringify(output));
}
