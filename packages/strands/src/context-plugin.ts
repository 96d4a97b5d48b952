import { type ContextInjectorOptions, contextInjector, type InjectionContext, type Message } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { type InvokeModelContext, InvokeModelStage, type LocalAgent, type Plugin } from '@strands-agents/sdk';
import { isAsk, toMessages, withInjected } from './messages.ts';

/** What a text is rendered from. */
export interface AgentInjectionContext extends InjectionContext {
  /** The agent, with its state in `appState`. */
  readonly agent: LocalAgent;
}

export interface ContextPluginOptions extends Pick<ContextInjectorOptions, 'deadlineMs' | 'logger'> {
  /** Returns the text to inject. Injects nothing if it is blank or missing, or if this fails. */
  readonly render: (context: AgentInjectionContext) => string | undefined | Promise<string | undefined>;
  /**
   * When to inject: at each question of the user, where the text stays during tool calls; in each model call; or when a
   * function returns `true`.
   *
   * @default 'userTurn'
   */
  readonly trigger?:
    | 'userTurn'
    | 'everyTurn'
    | ((context: AgentInjectionContext) => boolean | Promise<boolean>)
    | undefined;
  /**
   * The name of the plugin; must be unique if an agent has several.
   *
   * @default 'keepsake-context'
   */
  readonly name?: string | undefined;
}

const OPTIONS: FieldNames<ContextPluginOptions> = {
  render: true,
  trigger: true,
  deadlineMs: true,
  logger: true,
  name: true,
};

/**
 * A plugin that adds a text of your own to the model's input: a clock, a description of a sandbox, a reminder. The text never
 * enters the agent's messages. Several agents can share the plugin.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
 * @example
 * const clock = contextPlugin({ render: () => `<now>${new Date().toISOString()}</now>` });
 * const agent = new Agent({ plugins: [clock] });
 */
export function contextPlugin(options: ContextPluginOptions): Plugin {
  const { name = 'keepsake-context', render, trigger, ...rest } = expectKnownFields(options, OPTIONS);
  // Refuses invalid options before an agent starts.
  contextInjector({ ...rest, render, trigger } as unknown as ContextInjectorOptions);
  return {
    name,
    initAgent(agent) {
      const injector = contextInjector({
        ...rest,
        render: (context) => render({ ...context, agent }),
        trigger: typeof trigger === 'function' ? (context) => trigger({ ...context, agent }) : trigger,
      });
      const messagesOf = stableAsks();
      agent.addMiddleware(InvokeModelStage.Input, async (context) => {
        const messages = messagesOf(context);
        const injected = await injector.inject(messages, { signal: agent.cancelSignal });
        return withInjected(context, messages, injected, false);
      });
    },
  };
}

/**
 * Converts messages so that the user's last message is the same object in all calls of a turn: an injector recognizes the
 * turn by it.
 */
function stableAsks(): (context: InvokeModelContext) => Message[] {
  let last: { readonly id: string; readonly message: Message } | undefined;
  return (context) => {
    const messages = toMessages(context.messages);
    const index = messages.findLastIndex(isAsk);
    const id = context.messages[index]?.trackingId;
    if (id === undefined) return messages;
    if (last?.id !== id) last = { id, message: messages[index] as Message };
    return messages.with(index, last.message);
  };
}
