import { refundAgent } from '@keepsake/suites/agents/refund-agent';
import { Agent, type AgentInputItem, type AgentOutputItem, RunState, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { FileSession } from '../src/index.ts';

/** A run of an agent on a session in files. */
export interface RunRequest {
  readonly directory: string;
  readonly sessionId: string;
  /** The user's input, or an interrupted run with the decisions about its calls. */
  readonly input: string | AgentInputItem[] | InterruptedRun;
  /** The model's answers, one entry per model call. */
  readonly script: readonly AgentOutputItem[][];
}

interface InterruptedRun {
  readonly state: string;
  readonly decisions: Readonly<Record<string, 'approve' | 'reject'>>;
}

export interface RunReport {
  readonly output: string | null;
  /** The model's inputs, one entry per model call. */
  readonly modelInputs: readonly (string | AgentInputItem[])[];
  readonly refunded: readonly string[];
  /** The ids of the calls that wait for approval. */
  readonly waiting: readonly string[];
  readonly state: string;
}

/** Runs the agent of refunds. */
export async function runAgent({ directory, sessionId, input, script }: RunRequest): Promise<RunReport> {
  setTracingDisabled(true);
  const refunded: string[] = [];
  const model = new ScriptedModel(script);
  const agent = refundAgent(model, (order) => refunded.push(order));
  const started = typeof input === 'object' && 'state' in input ? await resume(agent, input) : input;
  const result = await run(agent, started, { session: new FileSession({ directory, sessionId }) });
  return {
    output: result.interruptions.length > 0 ? null : (result.finalOutput ?? null),
    modelInputs: model.calls.map(({ request }) => request.input),
    refunded,
    waiting: result.interruptions.map(callId),
    state: result.state.toString(),
  };
}

async function resume(agent: ReturnType<typeof refundAgent>, { state, decisions }: InterruptedRun) {
  const restored = await RunState.fromString(agent, state);
  for (const item of restored.getInterruptions()) {
    const decision = decisions[callId(item)];
    if (decision) restored[decision](item);
  }
  return restored;
}

function callId({ rawItem }: { readonly rawItem: object }): string {
  return 'callId' in rawItem ? String(rawItem.callId) : '';
}

/** Starts concurrent runs on one session, one for each input. */
export async function runMany(
  options: { readonly directory: string; readonly sessionId: string },
  inputs: readonly string[],
): Promise<void> {
  setTracingDisabled(true);
  await Promise.all(
    inputs.map((input) => {
      const model = new ScriptedModel([modelResponder(() => [assistantMessage(`Answer to ${input}`)])]);
      return run(new Agent({ name: 'Shop', model }), input, { session: new FileSession(options) });
    }),
  );
}
