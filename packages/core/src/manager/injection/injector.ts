import { untilAborted } from '@keepsake/internal';
import { expectFields } from '../../common/check-fields.ts';
import { withDeadline } from '../../common/deadline.ts';
import { expect } from '../../common/expect.ts';
import { type Message, messageText } from '../../model/message.ts';
import { INJECTOR } from '../options/check-options.ts';
import { consoleLogger, warn } from '../options/logger.ts';
import { errorType } from '../search/telemetry.ts';
import type { ContextInjectorOptions } from './injector-options.ts';
import { isAsk } from './is-user-ask.ts';

/** Injects a text into a model's messages. */
export interface ContextInjector {
  /** The text alone, for other message formats; `undefined` if there is nothing to inject. Never throws. */
  block(
    messages: readonly Message[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  /**
   * A copy of the messages with the text. Never throws and never changes its arguments.
   *
   * With `userTurn`, the text is at the end of the user's message and stays there during tool calls. With other triggers,
   * whose text may change from call to call, it is as late as possible: at the end of the last message with role `user`,
   * which may be tool results.
   */
  inject(messages: readonly Message[], options?: { readonly signal?: AbortSignal | undefined }): Promise<Message[]>;
}

/**
 * Creates an injector for your own text: a clock, a description of a sandbox, a reminder.
 *
 * With `userTurn`, the text is cached by message object, so pass the same objects throughout a turn.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
 */
export function contextInjector(options: ContextInjectorOptions): ContextInjector {
  expectFields(options, '', INJECTOR);
  expect(options.render, '`render` must be a function.');
  return createInjector(options, (messages, ask) => messages[ask] as Message);
}

/**
 * {@link contextInjector} for messages that may be copies each time.
 *
 * @param turnOf - Returns an object that identifies the turn that begins at an index.
 */
export function createInjector(
  { render, trigger = 'userTurn', deadlineMs = 2_000, logger = consoleLogger }: ContextInjectorOptions,
  turnOf: (messages: readonly Message[], ask: number) => object,
): ContextInjector {
  const renderings = new WeakMap<object, Rendering>();

  /** The index of the message for the text, or -1. */
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
    if (!signal?.aborted) warn(logger, `Nothing was injected into this model call (${errorType(error)}).`);
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
      return await (signal === undefined ? rendering.text : untilAborted(signal, () => rendering.text));
    } finally {
      // Aborted when nobody waits any more: then the next call renders again.
      if (--rendering.callers === 0 && rendering.isPending) {
        renderings.delete(turn);
        rendering.control.abort(signal?.reason);
      }
    }
  }

  /** Renders once for all calls of a turn. */
  function begin(turn: object, messages: readonly Message[]): Rendering {
    const control = new AbortController();
    const startedAt = performance.now();
    const text = renderNow(messages, control.signal)
      .catch((error) => {
        // A fast failure may succeed at the next call. A hanging one would delay that, too.
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
    // Unknown message formats must not make a model call fail.
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

/** The rendering of a turn, and the number of waiting calls. */
interface Rendering {
  readonly text: Promise<string | undefined>;
  readonly control: AbortController;
  callers: number;
  isPending: boolean;
}

/** Identifies a turn by the user's message and the text right before it, for messages that are copied from call to call. */
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
