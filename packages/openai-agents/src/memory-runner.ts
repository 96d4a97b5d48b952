import type { Conversation, MemoryManager } from '@keepsake/core';
import { expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import {
  type AgentInputItem,
  AgentsError,
  type IndividualRunOptions,
  type RunConfig,
  Runner,
  type RunResult,
  RunState,
  StreamedRunResult,
} from '@openai/agents';
import { type AnyAgent, dropInjected, injectingFilter, instructingFilter, withoutInjected } from './injection.ts';
import { newInput, toMessage } from './messages.ts';
import { RUN_CONFIG } from './run-config-fields.ts';

export interface MemoryRunnerOptions extends Partial<RunConfig> {
  /**
   * The id of the conversation, which is the thread of its memories.
   *
   * @default the id of the run's session, or else a new id
   * for this runner
   */
  readonly conversationId?: string | undefined;
}

const OPTIONS: FieldNames<MemoryRunnerOptions> = { ...RUN_CONFIG, conversationId: true };

type Run = (agent: AnyAgent, input: Input, options?: IndividualRunOptions<unknown, AnyAgent>) => Promise<Result>;
type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

/**
 * A runner of the OpenAI Agents SDK with memory: it injects memories into the input of every model, also after handoffs, and
 * observes the conversation for extraction. Use `memoryTools` to give agents the tools.
 *
 * A run that fails, is cancelled or waits for an approval is not a turn, and the input of a failed run is not remembered.
 * Injected memories enter neither sessions nor the history of a result. Await `memory.flush()` before the process ends.
 */
export function memoryRunner(memory: MemoryManager, settings: MemoryRunnerOptions = {}): Runner {
  expectKnownFields(settings, OPTIONS);
  const { conversationId, ...config } = settings;
  const runner = new Runner(config);
  const run = runner.run.bind(runner) as unknown as Run;
  const ownId = uuidv7();

  const remembering: Run = async (agent, input, options = {}) => {
    const { session, signal } = options;
    const chat = memory.conversation({ id: conversationId ?? (await session?.getSessionId()) ?? ownId });
    const asked = input instanceof RunState ? [] : newInput(input);
    const before = options.callModelInputFilter ?? runner.config.callModelInputFilter;
    const injected = new Set<string>();
    const callModelInputFilter = isServerManaged(input, options)
      ? instructingFilter(chat, asked, signal, before)
      : injectingFilter(chat, injected, signal, before);
    const end = async (result: Result | undefined, state = result?.state) => {
      if (state !== undefined) dropInjected(state, injected);
      await endTurn(chat, asked, result);
    };

    try {
      const result = await run(agent, input, {
        ...options,
        ...(session && { session: withoutInjected(session, injected) }),
        callModelInputFilter,
      });
      if (result instanceof StreamedRunResult) {
        const ended = result.completed.then(
          () => end(result),
          () => end(undefined, result.state),
        );
        // Not awaited. If the memory was closed in the meantime, the turn is dropped.
        ended.catch(() => {});
      } else {
        await end(result);
      }
      return result;
    } catch (error) {
      await end(undefined, error instanceof AgentsError ? error.state : undefined);
      throw error;
    }
  };
  runner.run = remembering as unknown as Runner['run'];
  return runner;
}

async function endTurn(
  chat: Conversation,
  asked: readonly AgentInputItem[],
  result: Result | undefined,
): Promise<void> {
  const failed = result === undefined || ('cancelled' in result && result.cancelled);
  const waits = !failed && result.interruptions.length > 0;
  // The result of a run that was resumed after an approval contains the whole run.
  const answers = failed || waits ? [] : result.newItems.map(({ rawItem }) => rawItem as AgentInputItem);
  const said = [...(failed ? [] : asked), ...answers].map(toMessage);
  chat.observe(...said.filter(({ content }) => content.length > 0));
  // The manager has reported the failure. The answer must not be lost because of it.
  await chat.endTurn({ failed: failed || waits }).catch(() => {});
}

function isServerManaged(input: Input, options: IndividualRunOptions<unknown, AnyAgent>): boolean {
  const { conversationId, previousResponseId } = options;
  const state = input instanceof RunState ? (input._conversationId ?? input._previousResponseId) : undefined;
  return (conversationId ?? previousResponseId ?? state) !== undefined;
}
