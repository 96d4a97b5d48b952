import { type Conversation, type MemoryManager, uuidv7 } from '@keepsake/core';
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

export interface MemoryRunnerOptions extends Partial<RunConfig> {
  /**
   * Names the conversation: the thread of what is remembered of it. By default the id of the session that a run is given,
   * else one of this runner's own.
   */
  readonly conversationId?: string | undefined;
}

type Run = (agent: AnyAgent, input: Input, options?: IndividualRunOptions<unknown, AnyAgent>) => Promise<Result>;
type Input = string | AgentInputItem[] | RunState<unknown, AnyAgent>;
type Result = RunResult<unknown, AnyAgent> | StreamedRunResult<unknown, AnyAgent>;

/**
 * A runner of the OpenAI Agents SDK with memory: what is known comes into the input of the models, of handoffs too, and
 * what is said is remembered as the memory's stores are set up. Give agents the tools with `memoryTools`.
 *
 * A run that fails, is cancelled, or waits for an approval is no turn; what was asked in one that fails is not
 * remembered. Neither sessions nor the history of a result hold what was injected. Await `memory.flush()` before the
 * process ends.
 */
export function memoryRunner(memory: MemoryManager, { conversationId, ...config }: MemoryRunnerOptions = {}): Runner {
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
        // Nobody waits for it. A memory that was closed meanwhile takes in nothing more.
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
  // The results of a run that goes on after an approval hold all of it, from its beginning.
  const answers = failed || waits ? [] : result.newItems.map(({ rawItem }) => rawItem as AgentInputItem);
  const said = [...(failed ? [] : asked), ...answers].map(toMessage);
  chat.observe(...said.filter(({ content }) => content.length > 0));
  // What the outbox could not take was reported. It is no reason to lose the answer.
  await chat.endTurn({ failed: failed || waits }).catch(() => {});
}

function isServerManaged(input: Input, options: IndividualRunOptions<unknown, AnyAgent>): boolean {
  const { conversationId, previousResponseId } = options;
  const state = input instanceof RunState ? (input._conversationId ?? input._previousResponseId) : undefined;
  return (conversationId ?? previousResponseId ?? state) !== undefined;
}
