// Runs an agent in a separate process. Argument: a RunRequest. Prints a RunReport.
import { refundAgent } from '@keepsake/suites/agents/refund-agent';
import { type AgentInputItem, type AgentOutputItem, RunState, run, setTracingDisabled } from '@openai/agents';
import { ScriptedModel } from '@openai/agents/testing';
import { FileSession } from '../../src/index.ts';

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

setTracingDisabled(true);
const { directory, sessionId, input, script } = JSON.parse(process.argv[2] ?? '') as RunRequest;
const refunded: string[] = [];
const model = new ScriptedModel(script);
const agent = refundAgent(model, (order) => refunded.push(order));
const result = await run(agent, typeof input === 'object' && 'state' in input ? await resume(input) : input, {
  session: new FileSession({ directory, sessionId }),
});
const report: RunReport = {
  output: result.interruptions.length > 0 ? null : (result.finalOutput ?? null),
  modelInputs: model.calls.map(({ request }) => request.input),
  refunded,
  waiting: result.interruptions.map(callId),
  state: result.state.toString(),
};
process.stdout.write(JSON.stringify(report));

async function resume({ state, decisions }: InterruptedRun) {
  const restored = await RunState.fromString(agent, state);
  for (const item of restored.getInterruptions()) {
    const decision = decisions[callId(item)];
    if (decision) restored[decision](item);
  }
  return restored;
}

function callId({ rawItem }: (typeof result.interruptions)[number]): string {
  return 'callId' in rawItem ? rawItem.callId : '';
}
