import { expectFields, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { type ConversationKind, type ConversationNames, type Conversations, warnRunNotKept } from '@keepsake/internal';
import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  AgentResultEvent,
  BeforeInvocationEvent,
  BeforeModelCallEvent,
  InvokeModelStage,
  type LocalAgent,
  Message,
  MessageAddedEvent,
  type Plugin,
} from '@strands-agents/sdk';
import { AgentConversation, interruptsOf, type PendingInterrupt } from './agent-conversation.ts';
import { withText } from './system-prompt.ts';

export type { Conversations } from '@keepsake/internal';

/** The conversation of the agent, as for `ConversationMemory.for`, and the plugin. */
export interface ConversationPluginOptions extends ConversationNames {
  /** @default the agent's `sessionId` */
  readonly sessionId?: string | undefined;
  /** @default 'agent' */
  readonly kind?: ConversationKind | undefined;
  /**
   * The name of the plugin; must be unique if an agent has several.
   *
   * @default 'keepsake-conversation'
   */
  readonly name?: string | undefined;
  /**
   * Called if a failed invocation could not be saved. Any other invocation rejects instead.
   *
   * @default a warning on the console
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const OPTIONS: FieldNames<ConversationPluginOptions> = {
  sessionId: true,
  userId: true,
  agentId: true,
  kind: true,
  name: true,
  onError: true,
};

/** A run whose state an agent has now. */
export interface RestoredRun {
  readonly runId: string;
  /** What it waits for: pass a response to each. If empty, invoke the agent with `[]` to continue. */
  readonly interrupts: readonly PendingInterrupt[];
  /**
   * Whether the interrupts were responded to before, and what the tools did then could not be saved. A response runs them
   * again: find out first what they did.
   */
  readonly mayHaveRun: boolean;
}

/**
 * A plugin that keeps the invocations of Strands agents in a conversation. Each invocation starts with the history of the
 * conversation as the agent's messages, and with the summary and the profile in the system prompt. It is saved as a run:
 * completed, failed, cancelled, or waiting for the response to an interrupt, which any process can give.
 *
 * @param memory - A `ConversationMemory` of `@keepsake/conversations`.
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
 * @example
 * const agent = new Agent({ plugins: [conversationPlugin(memory, { sessionId: 'chat-42', userId: 'alice' })] });
 */
export function conversationPlugin(memory: Conversations, options: ConversationPluginOptions = {}): ConversationPlugin {
  return new ConversationPlugin(memory, options);
}

/** See {@link conversationPlugin}. */
export class ConversationPlugin implements Plugin {
  readonly name: string;
  readonly #memory: Conversations;
  readonly #names: ConversationNames;
  readonly #kind: ConversationKind;
  readonly #onError: (error: unknown) => void;
  readonly #agents = new WeakMap<LocalAgent, AgentConversation>();

  constructor(memory: Conversations, options: ConversationPluginOptions = {}) {
    expectKnownFields(options, OPTIONS);
    const { kind = 'agent', name = 'keepsake-conversation', onError = warnRunNotKept, ...names } = options;
    expectFields({ memory }, '', {
      memory: [(value) => typeof (value as Conversations | undefined)?.for === 'function', 'a ConversationMemory'],
    });
    this.name = name;
    this.#memory = memory;
    this.#names = names;
    this.#kind = kind;
    this.#onError = onError;
  }

  initAgent(agent: LocalAgent): void {
    const conversation = this.#of(agent);
    agent.addMiddleware(InvokeModelStage.Input, (context) => {
      const { instructions } = conversation;
      const messages = joined(context.messages);
      if (instructions === '') return { ...context, messages };
      return { ...context, messages, systemPrompt: withText(context.systemPrompt, instructions) };
    });
    agent.addHook(BeforeInvocationEvent, ({ invocationState }) => conversation.begin(invocationState));
    agent.addHook(MessageAddedEvent, ({ message }) => conversation.add(message));
    agent.addHook(BeforeModelCallEvent, () => conversation.beforeModelCall());
    agent.addHook(AfterModelCallEvent, ({ error }) => conversation.afterModelCall(error));
    // The failure of the model matters more than that it could not be saved.
    agent.addHook(AfterInvocationEvent, () => conversation.endFailed().catch(this.#onError));
    agent.addHook(AgentResultEvent, ({ result }) => conversation.endWith(result));
  }

  /**
   * Gives an agent the state of an unfinished run, in this or another process: of one that waits for responses, or of one
   * that failed, was cancelled or crashed, after its last complete step. Continue it with the next invocation:
   * `agent.invoke([{ interruptResponse: { interruptId, response } }])`, or `agent.invoke([])` if it waits for nothing. Then
   * it is claimed: if another process was faster, the invocation rejects with `CONFLICT`.
   *
   * @param runId - By default the newest run that waits, or else the newest run of the session, if it is unfinished.
   * @returns `undefined` if there is no such run.
   */
  async restore(agent: LocalAgent, runId?: string): Promise<RestoredRun | undefined> {
    const run = await this.#of(agent).restore(runId);
    const interrupts = run === undefined ? [] : interruptsOf(run);
    return run && { runId: run.runId, interrupts, mayHaveRun: interrupts.length > 0 && run.status !== 'paused' };
  }

  #of(agent: LocalAgent): AgentConversation {
    const conversation = this.#agents.get(agent);
    if (conversation !== undefined) return conversation;
    const { sessionId = agent.sessionId, ...names } = this.#names;
    const created = new AgentConversation(agent, this.#memory.for(this.#kind, { sessionId, ...names }));
    this.#agents.set(agent, created);
    return created;
  }
}

/** Joins messages of one role in a row, as after a question that was not answered: Bedrock refuses them. */
function joined(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    const before = kept.at(-1);
    if (before?.role !== message.role) kept.push(message);
    else kept.splice(-1, 1, new Message({ role: message.role, content: [...before.content, ...message.content] }));
  }
  return kept;
}
