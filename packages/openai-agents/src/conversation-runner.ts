import { recentItems } from '@keepsake/core';
import { expectFields, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import {
  type ConversationKind,
  type ConversationNames,
  type ConversationOf,
  type Conversations,
  instructionsOf,
  type StoredRun,
  warnRunNotKept,
} from '@keepsake/internal';
import {
  type Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  type IndividualRunOptions,
  type NonStreamRunOptions,
  type RunConfig,
  Runner,
  type RunResult,
  RunState,
  StreamedRunResult,
  type StreamRunOptions,
} from '@openai/agents';
import type { AgentLike, AnyAgent } from './any-agent.ts';
import { type ApprovalCheckpoint, readCheckpoint, restoreState, withStarted } from './approvals.ts';
import {
  type ConversationRunOptions,
  type Kept,
  RESUME_OPTIONS,
  type ResumeOptions,
  RUN_OPTIONS,
  type WaitingRun,
} from './conversation-run-options.ts';
import { instructing } from './instructing.ts';
import { KeptRun } from './kept-run.ts';
import { userMessage } from './messages.ts';
import { RUN_CONFIG } from './run-config-fields.ts';
import { RunSteps } from './run-steps.ts';

export type { Conversations } from '@keepsake/internal';

export interface ConversationRunnerOptions extends Partial<RunConfig> {
  /** The `ConversationMemory` of `@keepsake/conversations` that prepares the input of runs and keeps them. */
  readonly memory: Conversations;
  /** @default 'agent' */
  readonly kind?: ConversationKind | undefined;
  /**
   * Called if a streamed run could not be saved. A run that is not streamed rejects instead.
   *
   * @default a warning on the console
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldNames<ConversationRunnerOptions> = { ...RUN_CONFIG, memory: true, kind: true, onError: true };

const WAITING: FieldNames<ConversationNames & Pick<ResumeOptions, 'runId'>> = {
  sessionId: true,
  userId: true,
  agentId: true,
  runId: true,
};

type Input = AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;
type AnyOptions = ConversationRunOptions<IndividualRunOptions<unknown, AnyAgent>>;
type Handle = ConversationOf<AgentInputItem>;
type Start = (agent: AnyAgent, input: Input, options: IndividualRunOptions<unknown, AnyAgent>) => Promise<Result>;

/**
 * Runs agents of the OpenAI Agents SDK in conversations: it gives the model the history, summary and profile, and keeps each
 * run, also a failed one. A run that waits for approval can be resumed by any process.
 *
 * @example
 * const runner = conversationRunner({ memory });
 * const { finalOutput } = await runner.run(agent, 'Hello', { sessionId: 'chat-42', userId: 'alice' });
 */
export function conversationRunner(options: ConversationRunnerOptions): ConversationRunner {
  return new ConversationRunner(options);
}

/** A streamed run of this runner that is not saved yet. */
interface StreamedRun {
  readonly sessionId: string;
  readonly result: StreamedRunResult<unknown, AnyAgent>;
  isOver: boolean;
  readonly ended: Promise<void>;
}

/** See {@link conversationRunner}. */
export class ConversationRunner {
  readonly #memory: Conversations;
  readonly #kind: ConversationKind;
  readonly #onError: (error: unknown) => void;
  readonly #runner: Runner;
  readonly #streams = new Set<StreamedRun>();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(options: ConversationRunnerOptions) {
    expectKnownFields(options, OPTIONS);
    const { memory, kind = 'agent', onError = warnRunNotKept, ...config } = options;
    expectFields({ memory, onError }, '', {
      memory: [(value) => typeof (value as Conversations | undefined)?.for === 'function', 'a ConversationMemory'],
      onError: 'function',
    });
    this.#memory = memory;
    this.#kind = kind;
    this.#onError = onError;
    this.#runner = new Runner(config);
  }

  /**
   * Runs an agent with the history of the session and the new input, and saves the run: as `running` at its beginning and
   * before each further model call, then as completed, paused, failed or cancelled.
   *
   * @throws MemoryError if the run can't be saved; otherwise as the SDK's runner.
   */
  run<A extends AgentLike, C = undefined>(
    agent: A,
    input: string | AgentInputItem[],
    options?: ConversationRunOptions<NonStreamRunOptions<C, A>>,
  ): Promise<Kept<RunResult<C, A>>>;
  run<A extends AgentLike, C = undefined>(
    agent: A,
    input: string | AgentInputItem[],
    options: ConversationRunOptions<StreamRunOptions<C, A>>,
  ): Promise<Kept<StreamedRunResult<C, A>>>;
  async run(agent: AnyAgent, input: string | AgentInputItem[], options: AnyOptions = {}): Promise<Kept<Result>> {
    const { handle, rest } = this.#open(expectKnownFields(options, RUN_OPTIONS));
    const asked = typeof input === 'string' ? [userMessage(input)] : input;
    return this.#start(agent, handle, { items: asked }, undefined, rest);
  }

  /**
   * Continues a run: one that waits for approval after the decisions, one that failed or crashed from its last complete step.
   * Only one process can.
   *
   * @param agent - The agent that the run began with.
   * @returns `undefined` if there is no run to resume.
   * @throws MemoryError `CONFLICT` if another process resumes it, `INVALID_ARGUMENT` for a decision on a call that does not
   *   wait, or the approval of a call that was approved before and may have run.
   */
  resume<A extends AgentLike, C = undefined>(
    agent: A,
    options?: ConversationRunOptions<NonStreamRunOptions<C, A>> & ResumeOptions,
  ): Promise<Kept<RunResult<C, A>> | undefined>;
  resume<A extends AgentLike, C = undefined>(
    agent: A,
    options: ConversationRunOptions<StreamRunOptions<C, A>> & ResumeOptions,
  ): Promise<Kept<StreamedRunResult<C, A>> | undefined>;
  async resume(agent: AnyAgent, options: AnyOptions & ResumeOptions = {}): Promise<Kept<Result> | undefined> {
    const { runId, decisions, ...others } = expectKnownFields(options, RESUME_OPTIONS);
    const { handle, rest } = this.#open(others);
    const run = await this.#findResumable(handle, runId);
    if (run === undefined) return undefined;
    const checkpoint = readCheckpoint(run.checkpoint);
    // Before the run is claimed, so that a wrong decision leaves it as it is.
    const restored =
      checkpoint && (await restoreState(agent as Agent<unknown, 'text'>, checkpoint, rest.context, decisions));
    const started = restored && withStarted(checkpoint, restored.approved);
    return this.#start(agent, handle, { ...run, checkpoint: started }, restored?.state, rest);
  }

  /** A run of a session that waits for approvals, by default the newest, with what they are for; `undefined` if none does. */
  async waiting(options: ConversationNames & Pick<ResumeOptions, 'runId'> = {}): Promise<WaitingRun | undefined> {
    const { runId, ...names } = expectKnownFields(options, WAITING);
    const run = await this.#findResumable(this.#memory.for<AgentInputItem>(this.#kind, names), runId);
    const checkpoint = run && readCheckpoint(run.checkpoint);
    return checkpoint && { runId: run.runId, approvals: checkpoint.approvals };
  }

  #open({ sessionId, userId, agentId, ...rest }: AnyOptions) {
    return { handle: this.#memory.for<AgentInputItem>(this.#kind, { sessionId, userId, agentId }), rest };
  }

  async #start(
    agent: AnyAgent,
    handle: Handle,
    run: Pick<StoredRun<AgentInputItem>, 'items'> & { readonly checkpoint?: ApprovalCheckpoint | undefined },
    state: RunState<unknown, AnyAgent> | undefined,
    options: IndividualRunOptions<unknown, AnyAgent>,
  ): Promise<Kept<Result>> {
    const { messageHistory, ...injections } = await handle.prepare();
    // A call whose result is missing can't be sent to a model.
    const input = state ?? [...messageHistory, ...(await recentItems({ getItems: async () => [...run.items] }, {}))];
    const ended = Promise.withResolvers<void>();
    const open = await handle.begin(run, { onClose: () => ended.promise });
    const kept = new KeptRun(open, new RunSteps(sentIn(input), run.items), input, run.checkpoint);
    const signal = AbortSignal.any([open.taken, ...(options.signal ? [options.signal] : [])]);
    const before = options.callModelInputFilter ?? this.#runner.config.callModelInputFilter;
    const callModelInputFilter: CallModelInputFilter = async (args) => {
      await kept.beforeModelCall(args.modelData.input);
      return instructing(instructionsOf(injections), before)(args);
    };
    const fail = async (error: unknown, at?: RunState<unknown, AnyAgent>) => {
      open.taken.throwIfAborted();
      return kept.fail(error, signal.aborted, at);
    };
    const start = this.#runner.run.bind(this.#runner) as unknown as Start;
    let result: Result;
    try {
      result = await start(agent, input, { ...options, signal, callModelInputFilter });
    } catch (error) {
      // The failure of the run matters more than that it could not be saved.
      await fail(error).catch(this.#onError).finally(ended.resolve);
      throw error;
    }
    const saved =
      result instanceof StreamedRunResult
        ? this.#untilOver(result, handle.sessionId, ended.promise).then(
            () => kept.end(result),
            (error) => fail(error, result.state),
          )
        : kept.end(result);
    saved.then(
      () => ended.resolve(),
      () => ended.resolve(),
    );
    if (result instanceof StreamedRunResult) saved.catch(this.#onError);
    else await saved;
    return Object.assign(result, { runId: kept.runId, saved });
  }

  /** @param ended - Resolves when the run is saved. */
  async #untilOver(result: StreamedRun['result'], sessionId: string, ended: Promise<void>): Promise<void> {
    const stream: StreamedRun = { sessionId, result, isOver: false, ended };
    this.#streams.add(stream);
    ended.then(() => this.#streams.delete(stream));
    await result.completed.finally(() => {
      stream.isOver = true;
    });
  }

  /** Waits for streams of this session that are over: the caller may know before they are saved. */
  async #findResumable(handle: Handle, runId: string | undefined): Promise<StoredRun<AgentInputItem> | undefined> {
    // Readers of a stream learn of its end just before `completed` settles.
    await Promise.resolve();
    const streams = [...this.#streams].filter(({ sessionId }) => sessionId === handle.sessionId);
    const over = streams.filter(({ isOver, result }) => isOver || result.cancelled);
    await Promise.all(over.map(({ ended }) => ended));
    return findResumable(handle, runId);
  }
}

/** The items of an input that the model gets. */
function sentIn(input: Input): AgentInputItem[] {
  if (!(input instanceof RunState)) return input;
  const { _originalInput: original, _generatedItems: generated } = input;
  const sent = generated.filter(({ type }) => type !== 'tool_approval_item');
  const items = typeof original === 'string' ? [userMessage(original)] : original;
  return [...items, ...sent.map(({ rawItem }) => rawItem as AgentInputItem)];
}

async function findResumable(
  handle: Handle,
  runId: string | undefined,
): Promise<StoredRun<AgentInputItem> | undefined> {
  if (runId !== undefined) return handle.loadResumableRun(runId);
  const [paused] = (await handle.listRuns({ status: 'paused', limit: 1 })).items;
  const [newest] = paused === undefined ? (await handle.listRuns({ limit: 1 })).items : [paused];
  return newest && handle.loadResumableRun(newest.runId);
}
