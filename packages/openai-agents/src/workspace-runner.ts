import { expectKnownFields, type FieldNames, guarded } from '@keepsake/core/adapter';
import { warnRunNotKept } from '@keepsake/internal';
import {
  type AgentInputItem,
  AgentsError,
  type IndividualRunOptions,
  type RunConfig,
  Runner,
  type RunResult,
  RunState,
  StreamedRunResult,
  type Tool,
} from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';
import { instructing } from './instructing.ts';
import { toTool } from './memory-tools.ts';
import { copyInput } from './messages.ts';
import { RUN_CONFIG } from './run-config-fields.ts';
import type { RunMemory, RunSegment } from './run-memory.ts';
import { type Begun, segmentOfError, segmentOfResult } from './run-segment.ts';

export type { RunMemory } from './run-memory.ts';

export interface WorkspaceRunnerOptions extends Partial<RunConfig> {
  /**
   * The id of the conversation.
   *
   * @default the id of the run's session, or else of its group, or else a new id for each run
   */
  readonly conversationId?: string | undefined;
  /**
   * Called if a run could not be saved; its result is returned anyway.
   *
   * @default a warning on the console
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldNames<WorkspaceRunnerOptions> = { ...RUN_CONFIG, conversationId: true, onError: true };

type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;
type Options = IndividualRunOptions<unknown, AnyAgent>;
type Run = (agent: AnyAgent, input: Input, options?: Options) => Promise<Result>;

/**
 * A runner of the OpenAI Agents SDK with a workspace memory: it adds the summary of earlier runs to the instructions of
 * every model, and saves each run, including failed and interrupted ones. Use {@link workspaceTools} to give agents the
 * tools, and close the memory at the end, which distils the saved runs.
 */
export function workspaceRunner(memory: RunMemory, settings: WorkspaceRunnerOptions = {}): Runner {
  const { conversationId, onError = warnRunNotKept, ...config } = expectKnownFields(settings, OPTIONS);
  const runner = new Runner(config);
  const start = runner.run.bind(runner) as unknown as Run;

  const keeping: Run = async (agent, input, runOptions = {}) => {
    const options = guarded('The options', () => ({ ...runOptions }));
    const names = {
      conversationId: conversationId ?? options.conversationId,
      sessionId: await options.session?.getSessionId(),
      groupId: runner.config.groupId,
    };
    const run = memory.run(names);
    const keep = (segment: RunSegment) => run.append(segment).catch(onError);
    const { instructions } = await memory.read({ rolloutId: run.rolloutId });
    const before = options.callModelInputFilter ?? runner.config.callModelInputFilter;
    const begun: Begun =
      input instanceof RunState
        ? { input: [], itemsBefore: [...input._generatedItems] }
        : { input: copyInput(input), itemsBefore: [] };
    const fail = (error: unknown, state = error instanceof AgentsError ? error.state : undefined) =>
      keep(segmentOfError(begun, error, state?._generatedItems ?? [], options.signal?.aborted === true));

    try {
      const result = await start(agent, input, { ...options, callModelInputFilter: instructing(instructions, before) });
      if (!(result instanceof StreamedRunResult)) await keep(segmentOfResult(begun, result));
      else {
        // Not awaited, because the caller reads the stream. Closing the memory waits for it.
        const kept = result.completed.then(
          () => keep(segmentOfResult(begun, result)),
          (error) => fail(error, result.state),
        );
        kept.then(run.begin?.(() => kept));
      }
      return result;
    } catch (error) {
      await fail(error);
      throw error;
    }
  };
  runner.run = keeping as unknown as Runner['run'];
  return runner;
}

/** The tools of a workspace memory, for the `tools` of agents. */
export function workspaceTools(memory: RunMemory): Tool[] {
  return memory.tools().map(toTool);
}
