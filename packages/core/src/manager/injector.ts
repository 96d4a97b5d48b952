import { expect } from '../expect.ts';
import { type Message, messageText } from '../message.ts';
import { isAsk } from './asks.ts';
import { expectFields } from './check-fields.ts';
import { INJECTOR } from './check-options.ts';
import { consoleLogger, type Logger, warn } from './logger.ts';
import { errorType } from './telemetry.ts';
import { withDeadline, within } from './within.ts';

/** What is known when something may be injected. */
export interface InjectionContext {
  /** The conversation as the model is to read it, without what is injected. */
  readonly messages: readonly Message[];
  /** Aborted when the time is over, or the caller aborts. */
  readonly signal: AbortSignal;
}

/** When to inject: see `InjectionConfig`. */
export type InjectionTrigger = 'userTurn' | 'everyTurn' | ((context: InjectionContext) => boolean | Promise<boolean>);

/** How to make a {@link ContextInjector}. */
export interface ContextInjectorOptions {
  /** The text to fold in; nothing is injected where it is blank or missing. */
  readonly render: (context: InjectionContext) => string | undefined | Promise<string | undefined>;
  /** By default `userTurn`: once for each message in which the user asks, and the same until the next. */
  readonly trigger?: InjectionTrigger;
  /** How long a call of the model may be held up, in milliseconds. Default 2,000. */
  readonly deadlineMs?: number;
  /** Hears why nothing was injected. By default the console. */
  readonly logger?: Logger;
}

/** Folds a text into what a model reads. */
export interface ContextInjector {
  /** The text alone, for messages of another form; none where nothing is to be injected. Never throws. */
  block(
    messages: readonly Message[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  /**
   * A copy with the text at its place. Never throws, and never changes what it is given.
   *
   * The place of a `userTurn` is the end of the message in which the user asks, where it stays while tools are called.
   * Other triggers, whose text may change from call to call, have it as late as can be: at the end of the last message
   * of role `user`, which may hold results of tools.
   */
  inject(messages: readonly Message[], options?: { readonly signal?: AbortSignal | undefined }): Promise<Message[]>;
}

/**
 * An injector of a text of your own: a clock, a description of a sandbox, a reminder.
 *
 * With `userTurn`, what was rendered for a message is kept with that object, so give the same objects throughout a turn.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for options that can't work.
 */
export function contextInjector(options: ContextInjectorOptions): ContextInjector {
  expectFields(options, '', INJECTOR);
  expect(options.render, 'render is to be a function.');
  return createInjector(options, (messages, ask) => messages[ask] as Message);
}

/**
 * {@link contextInjector} for messages that may be copies each time.
 *
 * @param turnOf - An object for the turn that begins at an index: the same while the turn is.
 */
export function createInjector(
  { render, trigger = 'userTurn', deadlineMs = 2_000, logger = consoleLogger }: ContextInjectorOptions,
  turnOf: (messages: readonly Message[], ask: number) => object,
): ContextInjector {
  const renderings = new WeakMap<object, Rendering>();

  /** Where the text goes, -1 for nowhere. */
  function place(messages: readonly Message[]): number {
    return messages.findLastIndex((message) => (trigger === 'userTurn' ? isAsk(message) : message.role === 'user'));
  }

  async function renderNow(messages: readonly Message[], signal: AbortSignal | undefined): Promise<string | undefined> {
    const text = await withDeadline(deadlineMs, signal, async (signal) => {
      const context = { messages, signal };
      return typeof trigger === 'function' && !(await trigger(context)) ? undefined : render(context);
    });
    return text?.trim() ? text : undefined;
  }

  function nothing(error: unknown, signal: AbortSignal | undefined): undefined {
    if (!signal?.aborted) warn(logger, `Nothing was injected into this call of the model (${errorType(error)}).`);
  }

  async function find(messages: readonly Message[], signal: AbortSignal | undefined): Promise<string | undefined> {
    const index = place(messages);
    if (index === -1) return undefined;
    if (trigger !== 'userTurn') return renderNow(messages, signal);
    signal?.throwIfAborted();
    const turn = turnOf(messages, index);
    const rendering = renderings.get(turn) ?? begin(turn, messages);
    rendering.callers++;
    try {
      return await (signal === undefined ? rendering.text : within(signal, () => rendering.text));
    } finally {
      // Given up when nobody waits for it any longer: then the next call is to look again.
      if (--rendering.callers === 0 && rendering.isPending) {
        renderings.delete(turn);
        rendering.control.abort(signal?.reason);
      }
    }
  }

  /** Renders for all calls of a turn. */
  function begin(turn: object, messages: readonly Message[]): Rendering {
    const control = new AbortController();
    const startedAt = performance.now();
    const text = renderNow(messages, control.signal)
      .catch((error) => {
        // What failed at once may be well at the next call. What hangs would hold that up, too.
        const isQuick = performance.now() - startedAt < deadlineMs / 2;
        if (isQuick && renderings.get(turn) === rendering) renderings.delete(turn);
        return nothing(error, control.signal);
      })
      .finally(() => {
        rendering.isPending = false;
      });
    const rendering: Rendering = { text, control, callers: 0, isPending: true };
    renderings.set(turn, rendering);
    return rendering;
  }

  async function block(
    messages: readonly Message[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined> {
    const signal = options?.signal;
    // Messages of a form that nobody foresaw are no reason for a call of the model to fail.
    return find(messages, signal).catch((error) => nothing(error, signal));
  }

  return {
    block,
    async inject(messages, options) {
      const text = await block(messages, options);
      const copy = [...messages];
      if (text !== undefined) {
        const index = place(messages);
        copy[index] = append(copy[index] as Message, text);
      }
      return copy;
    },
  };
}

/** What is rendered for a turn, and for how many calls that wait. */
interface Rendering {
  readonly text: Promise<string | undefined>;
  readonly control: AbortController;
  callers: number;
  isPending: boolean;
}

/** Knows a turn by what the user asks and what was said right before, for messages that are copied from call to call. */
export function turnsByText(): { readonly of: (messages: readonly Message[], ask: number) => object; end(): void } {
  let latest: { readonly key: string } | undefined;
  return {
    of(messages, ask) {
      const key = JSON.stringify(messages.slice(Math.max(ask - 1, 0), ask + 1).map(messageText));
      if (latest?.key !== key) latest = { key };
      return latest;
    },
    end() {
      latest = undefined;
    },
  };
}

function append(message: Message, text: string): Message {
  const { content } = message;
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : [...content, { text }] };
}
