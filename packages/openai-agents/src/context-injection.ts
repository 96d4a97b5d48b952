import {
  type ContextInjector,
  type ContextInjectorOptions,
  contextInjector,
  type InjectionContext,
  type Message,
} from '@keepsake/core';
import { expectKnownFields, type FieldNames, readList } from '@keepsake/core/adapter';
import type { CallModelInputFilterArgs } from '@openai/agents';
import type { AnyAgent } from './any-agent.ts';

/** What a text is rendered from. */
export interface RunInjectionContext extends InjectionContext {
  /** The agent whose model is called. */
  readonly agent: AnyAgent;
  /** The `context` that was passed to the run. */
  readonly context: unknown;
}

/** A text of your own for the model's input: a clock, a description of a sandbox, a reminder. */
export interface ContextInjection extends Pick<ContextInjectorOptions, 'deadlineMs' | 'logger'> {
  /** Returns the text to inject. Injects nothing if it is blank or missing, or if this fails. */
  readonly render: (context: RunInjectionContext) => string | undefined | Promise<string | undefined>;
  /**
   * When to inject: at each question of the user, where the text stays during tool calls; in each model call; or when a
   * function returns `true`.
   *
   * @default 'userTurn'
   */
  readonly trigger?:
    | 'userTurn'
    | 'everyTurn'
    | ((context: RunInjectionContext) => boolean | Promise<boolean>)
    | undefined;
}

const FIELDS: FieldNames<ContextInjection> = { render: true, trigger: true, deadlineMs: true, logger: true };

type Args = Pick<CallModelInputFilterArgs<unknown>, 'agent' | 'context'>;

/** The injections of one run. */
export class RunInjections {
  readonly #injectors: readonly ContextInjector[];
  #call: Args | undefined;
  #lastAsk: { readonly key: string; readonly message: Message } | undefined;

  constructor(injections: readonly ContextInjection[]) {
    this.#injectors = injections.map((injection) =>
      injectorOf(injection, (context) => ({ ...context, ...(this.#call as Args) }) as RunInjectionContext),
    );
  }

  /**
   * The texts for a model call, each with the index of the message that it belongs to.
   *
   * @param messages - The input of the model, or of the run if a server has the rest.
   */
  async blocks(messages: readonly Message[], call: Args, signal: AbortSignal | undefined) {
    this.#call = call;
    const stable = this.#withStableAsk(messages);
    const blocks = await Promise.all(this.#injectors.map((injector) => injector.blocks(stable, { signal })));
    return blocks.flat();
  }

  /** Makes the user's last message the same object in all calls: an injector recognizes the turn by it. */
  #withStableAsk(messages: readonly Message[]): readonly Message[] {
    const index = messages.findLastIndex(({ role }) => role === 'user');
    const message = messages[index];
    if (message === undefined) return messages;
    const key = JSON.stringify(message);
    if (this.#lastAsk?.key !== key) this.#lastAsk = { key, message };
    return messages.with(index, this.#lastAsk.message);
  }
}

/** A copy of a list of injections. Throws `INVALID_ARGUMENT` if it is anything else. */
export function checkInjections(injections: readonly ContextInjection[]): readonly ContextInjection[] {
  return readList(injections, '`injections`').map((injection, index) => {
    const copy = expectKnownFields(injection, FIELDS, `injections[${index}]`);
    injectorOf(copy, (context) => context as RunInjectionContext);
    return copy;
  });
}

function injectorOf(
  { render, trigger, ...rest }: ContextInjection,
  full: (context: InjectionContext) => RunInjectionContext,
): ContextInjector {
  return contextInjector({
    ...rest,
    render: typeof render === 'function' ? (context) => render(full(context)) : render,
    trigger: typeof trigger === 'function' ? (context) => trigger(full(context)) : trigger,
  });
}
