import { type ContextInjectorOptions, contextInjector, type InjectionContext, type Message } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { LanguageModelMiddleware } from 'ai';
import { type CallOptions, toMessages, withInjected } from './messages.ts';
import { isOwnCall } from './own-calls.ts';

/** The context of a model call. */
export interface CallContext extends InjectionContext {
  /** The parameters of the call: its tools, provider options, headers and so on. */
  readonly params: CallOptions;
}

/** Options of {@link contextMiddleware}. */
export interface ContextMiddlewareOptions extends Pick<ContextInjectorOptions, 'deadlineMs' | 'logger'> {
  /** Returns the text to inject. Injects nothing if it is blank or missing. */
  readonly render: (context: CallContext) => string | undefined | Promise<string | undefined>;
  /**
   * When to inject: `userTurn`, once per message of the user, unchanged during tool calls; `everyTurn`, before each model
   * call; or a function that decides.
   *
   * @default 'userTurn'
   */
  readonly trigger?: 'userTurn' | 'everyTurn' | ((context: CallContext) => boolean | Promise<boolean>) | undefined;
}

const OPTIONS: FieldNames<ContextMiddlewareOptions> = { render: true, trigger: true, deadlineMs: true, logger: true };

/**
 * A middleware that adds a text of yours to the input of AI SDK models: a clock, a description of a sandbox, a reminder. The
 * text is at the end of the user's last message. It never enters your messages, and a `memoryMiddleware` does not learn it.
 * A failure is logged, and the model is called without the text.
 *
 * Create one per conversation, for `wrapLanguageModel`.
 *
 * @example
 * const clock = contextMiddleware({ render: () => `The time is ${new Date().toISOString()}.` });
 */
export function contextMiddleware(options: ContextMiddlewareOptions): LanguageModelMiddleware {
  const { render, trigger, ...rest } = expectKnownFields(options, OPTIONS);
  const calls = new WeakMap<readonly Message[], CallOptions>();
  const inCall = <Result>(find: (context: CallContext) => Result) => {
    return (context: InjectionContext) => {
      return find({ ...context, params: calls.get(context.messages) as CallOptions });
    };
  };
  const injector = contextInjector({
    ...rest,
    // A missing `render` is for the injector to refuse.
    render: typeof render === 'function' ? inCall(render) : render,
    trigger: typeof trigger === 'function' ? inCall(trigger) : trigger,
  });
  const inTurn = currentTurn();

  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      if (isOwnCall(params.prompt)) return params;
      const { abortSignal: signal, prompt } = params;
      const messages = inTurn(toMessages(prompt));
      calls.set(messages, params);
      return { ...params, prompt: withInjected(prompt, messages, await injector.inject(messages, { signal })) };
    },
  };
}

/**
 * The injector recognizes the turn by the object of the user's message, but each call of a turn has copies. Returns the
 * messages with the object of the first call.
 */
function currentTurn(): (messages: Message[]) => Message[] {
  let latest: { readonly key: string; readonly message: Message } | undefined;
  return (messages) => {
    const index = messages.findLastIndex(({ role }) => role === 'user');
    const message = messages[index];
    if (message === undefined) return messages;
    const key = JSON.stringify(messages.slice(Math.max(index - 1, 0), index + 1));
    const isNew = index === messages.length - 1 || latest?.key !== key;
    if (isNew || latest === undefined) latest = { key, message };
    return messages.with(index, latest.message);
  };
}
