import type { MemoryManager, MemoryModel } from '@keepsake/core';
import { expectKnownFields, type FieldNames, guarded, uuidv7 } from '@keepsake/core/adapter';
import {
  Agent,
  type AgentInputItem,
  AgentsError,
  type CallModelInputFilter,
  type IndividualRunOptions,
  type RunConfig,
  RunContext,
  Runner,
  type RunResult,
  RunState,
  StreamedRunResult,
} from '@openai/agents';
import { modelWith } from './agents-model.ts';
import type { AnyAgent } from './any-agent.ts';
import { type ContextInjection, checkInjections, RunInjections } from './context-injection.ts';
import { dropInjected, injectingFilter, instructingFilter, withoutInjected } from './injection.ts';
import { RUN_CONFIG } from './run-config-fields.ts';
import { RunObserver } from './run-observer.ts';

export interface MemoryRunnerOptions extends Partial<RunConfig> {
  /**
   * The id of the conversation, which is the thread of its memories.
   *
   * @default the id of the run's session, or else a new id
   * for this runner
   */
  readonly conversationId?: string | undefined;
  /**
   * Texts of your own to add to the input of every model, after memory. Like memory, they enter neither sessions nor results.
   *
   * @default none
   */
  readonly injections?: readonly ContextInjection[] | undefined;
}

const OPTIONS: FieldNames<MemoryRunnerOptions> = { ...RUN_CONFIG, conversationId: true, injections: true };

type Run = (agent: AnyAgent, input: Input, options?: IndividualRunOptions<unknown, AnyAgent>) => Promise<Result>;
type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

/**
 * A runner of the OpenAI Agents SDK with memory: it injects memories into the input of every model, also after handoffs, and
 * observes the conversation for extraction. Use `memoryTools` to give agents the tools.
 *
 * Messages are observed as they come. A run that fails, is cancelled or waits for an approval is not a turn, but the user's
 * words are remembered, once if they are repeated.
 * Injected memories enter neither sessions nor the history of a result. Await `memory.flush()` before the process ends.
 */
export function memoryRunner(memory: MemoryManager, settings: MemoryRunnerOptions = {}): Runner {
  const { conversationId, injections: added = [], ...config } = expectKnownFields(settings, OPTIONS);
  const injections = checkInjections(added);
  const runner = new Runner(config);
  const run = runner.run.bind(runner) as unknown as Run;
  const ownId = uuidv7();
  const observers = new WeakMap<RunContext<unknown>, RunObserver>();
  runner.on('agent_tool_start', (context) => observers.get(context)?.modelAnswered());

  const remembering: Run = async (agent, input, runOptions = {}) => {
    const options = guarded('The options', () => ({ ...runOptions }));
    const { session, signal } = options;
    const id = conversationId ?? (await session?.getSessionId()) ?? ownId;
    const chat = memory.conversation({ id, model: modelOf(agent, runner.config) });
    const context = contextOf(input, options);
    const observer = new RunObserver(chat, input);
    observers.set(context, observer);
    const before = options.callModelInputFilter ?? runner.config.callModelInputFilter;
    const injected = new Set<string>();
    const sources = { chat, injections: new RunInjections(injections), signal, before };
    const inject = isServerManaged(input, options)
      ? instructingFilter(sources, observer.asked)
      : injectingFilter(sources, injected);
    const callModelInputFilter: CallModelInputFilter = (args) => {
      observer.beforeModelCall(args.modelData.input);
      return inject(args);
    };
    const view = session && withoutInjected(session);
    view?.runs.add(injected);
    const end = async (result: Result) => {
      view?.runs.delete(injected);
      dropInjected(result.state, injected);
      if ('cancelled' in result && result.cancelled) await observer.fail();
      else await observer.end(result.newItems, result.interruptions.length > 0);
    };
    const fail = async (error: unknown, state = error instanceof AgentsError ? error.state : undefined) => {
      view?.runs.delete(injected);
      if (state !== undefined) dropInjected(state, injected);
      await observer.fail(error);
    };

    try {
      const result = await run(agent, input, {
        ...options,
        context,
        ...(view && { session: view.session }),
        callModelInputFilter,
      });
      if (result instanceof StreamedRunResult) {
        const ended = result.completed.then(
          () => end(result),
          (error) => fail(error, result.state),
        );
        // Not awaited. If the memory was closed in the meantime, the turn is dropped.
        ended.catch(() => {});
      } else {
        await end(result);
      }
      return result;
    } catch (error) {
      await fail(error);
      throw error;
    }
  };
  runner.run = remembering as unknown as Runner['run'];
  return runner;
}

/** The model of a run, chosen like the SDK chooses it. */
function modelOf({ model, modelSettings }: AnyAgent, config: Runner['config']): MemoryModel {
  const chosen = model || config.model || Agent.DEFAULT_MODEL_PLACEHOLDER;
  const store = modelSettings.store ?? config.modelSettings?.store;
  const find = () => (typeof chosen === 'string' ? config.modelProvider.getModel(chosen) : chosen);
  return modelWith(find, store === undefined ? {} : { store });
}

/** The context of a run, which the SDK would otherwise create. It identifies the run in events. */
function contextOf(input: Input, { context }: IndividualRunOptions<unknown, AnyAgent>): RunContext<unknown> {
  if (input instanceof RunState) return input._context;
  return context instanceof RunContext ? context : new RunContext(context);
}

function isServerManaged(input: Input, options: IndividualRunOptions<unknown, AnyAgent>): boolean {
  const { conversationId, previousResponseId } = options;
  const state = input instanceof RunState ? (input._conversationId ?? input._previousResponseId) : undefined;
  return (conversationId ?? previousResponseId ?? state) !== undefined;
}
