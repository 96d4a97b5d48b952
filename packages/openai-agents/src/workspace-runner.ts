import {
  type AgentInputItem,
  AgentsError,
  type CallModelInputFilter,
  type IndividualRunOptions,
  type RunConfig,
  Runner,
  type RunResult,
  RunState,
  StreamedRunResult,
  type Tool,
} from '@openai/agents';
import type { AnyAgent } from './injection.ts';
import { toTool } from './memory-tools.ts';
import { newInput } from './messages.ts';
import type { RunMemory, RunSegment } from './run-memory.ts';
import { type Begun, segmentOfError, segmentOfResult } from './run-segment.ts';

export type { RunMemory } from './run-memory.ts';

export interface WorkspaceRunnerOptions extends Partial<RunConfig> {
  /** Names the conversation; by default the id of the run's session, else the group's, else each run is one. */
  readonly conversationId?: string | undefined;
  /** Is told where a run could not be kept; its result comes all the same. By default a warning on the console. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;
type Options = IndividualRunOptions<unknown, AnyAgent>;
type Run = (agent: AnyAgent, input: Input, options?: Options) => Promise<Result>;

/**
 * A runner of the OpenAI Agents SDK over a workspace memory: the summary of earlier runs comes into the instructions of
 * every model that is called, and each run is kept, also one that fails or waits. Give agents {@link workspaceTools}, and
 * close the memory at the end: that distils what was kept.
 */
export function workspaceRunner(
  memory: RunMemory,
  { conversationId, onError = warn, ...config }: WorkspaceRunnerOptions = {},
): Runner {
  const runner = new Runner(config);
  const run = runner.run.bind(runner) as unknown as Run;

  const keeping: Run = async (agent, input, options = {}) => {
    const names = {
      conversationId: conversationId ?? options.conversationId,
      sessionId: await options.session?.getSessionId(),
      groupId: runner.config.groupId,
    };
    const kept = memory.run(names);
    const keep = (segment: RunSegment) => kept.append(segment).catch(onError);
    const { instructions } = await memory.read({ rolloutId: kept.rolloutId });
    const before = options.callModelInputFilter ?? runner.config.callModelInputFilter;
    const begun: Begun =
      input instanceof RunState
        ? { input: [], itemsBefore: [...input._generatedItems] }
        : { input: newInput(input), itemsBefore: [] };
    const fail = (error: unknown, state = error instanceof AgentsError ? error.state : undefined) =>
      keep(segmentOfError(begun, error, state?._generatedItems ?? [], options.signal?.aborted === true));

    try {
      const result = await run(agent, input, { ...options, callModelInputFilter: instructing(instructions, before) });
      if (!(result instanceof StreamedRunResult)) await keep(segmentOfResult(begun, result));
      // Nobody waits for it: the stream is its reader's.
      else
        result.completed.then(
          () => keep(segmentOfResult(begun, result)),
          (error) => fail(error, result.state),
        );
      return result;
    } catch (error) {
      await fail(error);
      throw error;
    }
  };
  runner.run = keeping as unknown as Runner['run'];
  return runner;
}

/** The tools of a workspace memory, for `tools` of agents. */
export function workspaceTools(memory: RunMemory): Tool[] {
  return memory.tools().map(toTool);
}

function instructing(memory: string, before: CallModelInputFilter | undefined): CallModelInputFilter {
  return async (args) => {
    const modelData = before === undefined ? args.modelData : await before(args);
    if (memory === '') return modelData;
    return { ...modelData, instructions: [modelData.instructions, memory].filter(Boolean).join('\n\n') };
  };
}

function warn(error: unknown): void {
  console.warn('keepsake: a run could not be kept.', error);
}
