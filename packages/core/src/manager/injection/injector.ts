import { untilAborted } from '@keepsake/internal';
import { expectFields } from '../../common/check-fields.ts';
import { withDeadline } from '../../common/deadline.ts';
import { expect } from '../../common/expect.ts';
import type { Message } from '../../model/message.ts';
import { INJECTOR } from '../options/check-options.ts';
import { consoleLogger, type Logger, warn } from '../options/logger.ts';
import { errorType } from '../search/telemetry.ts';
import type { ContextInjectorOptions, InjectionContext, InjectionTrigger } from './injector-options.ts';
import { isAsk } from './is-user-ask.ts';
import type { Injected, Place, Rendering, Turn } from './turn.ts';

/** Options of a model call. */
export interface InjectOptions {
  /** Stops waiting. The call goes on without the text that is not ready. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the model also sees the earlier messages of the conversation, because a server has them. Then memories of this
   * conversation are not injected.
   *
   * @default false
   */
  readonly historyOnServer?: boolean | undefined;
}

/** A text that is injected after a message. */
export interface InjectedBlock {
  /** The index of the message. */
  readonly index: number;
  readonly text: string;
}

/** Injects a text into a model's messages. */
export interface ContextInjector {
  /**
   * A copy of the messages with the text. Never throws and never changes its arguments.
   *
   * With `userTurn`, the text is at the end of the user's message and stays there during tool calls. With other triggers,
   * whose text may change from call to call, it is as late as possible: at the end of the last message with role `user`,
   * which may be tool results.
   */
  inject(messages: readonly Message[], options?: InjectOptions): Promise<Message[]>;
  /** What `inject` appends, and to which messages, in their order; for other message formats. Never throws. */
  blocks(messages: readonly Message[], options?: InjectOptions): Promise<readonly InjectedBlock[]>;
  /** The same as one text, for a format with a single place; `undefined` if there is nothing to inject. Never throws. */
  block(messages: readonly Message[], options?: InjectOptions): Promise<string | undefined>;
}

/**
 * Creates an injector for your own text: a clock, a description of a sandbox, a reminder.
 *
 * With `userTurn`, the text is cached by message object, so pass the same objects throughout a turn.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
 */
export function contextInjector(options: ContextInjectorOptions): ContextInjector {
  const {
    render,
    trigger = 'userTurn',
    deadlineMs = 2_000,
    logger = consoleLogger,
  } = expectFields(options, '', INJECTOR);
  expect(render, '`render` must be a function.');
  const turns = new WeakMap<Message, Turn>();
  const placesOf = (messages: readonly Message[]): Place[] => {
    const index = messages.findLastIndex(isAsk);
    const message = messages[index];
    if (message === undefined) return [];
    const turn = turns.get(message) ?? {};
    turns.set(message, turn);
    return [{ index, turn }];
  };
  const renderText = async (context: InjectionContext) => {
    const text = await render(context);
    return text === undefined ? undefined : { text, shown: [] };
  };
  return createInjector({ render: renderText, trigger, deadlineMs, logger }, placesOf);
}

/** What the model sees beside the messages. */
interface View {
  /** The turns before, with their texts. */
  readonly earlier: readonly Turn[];
  readonly historyOnServer: boolean;
}

/** See {@link ContextInjectorOptions}. */
export interface InjectorSettings {
  readonly render: (context: InjectionContext, view: View) => Promise<Injected | undefined>;
  readonly trigger: InjectionTrigger;
  readonly deadlineMs: number;
  readonly logger: Logger;
}

/** @param placesOf - Returns the turns of messages, the current one last. */
export function createInjector(
  { render, trigger, deadlineMs, logger }: InjectorSettings,
  placesOf: (messages: readonly Message[]) => readonly Place[],
): ContextInjector {
  async function renderNow(
    messages: readonly Message[],
    view: View,
    signal: AbortSignal | undefined,
  ): Promise<Injected | undefined> {
    const injected = await withDeadline(deadlineMs, signal, async (signal) => {
      const context = { messages, signal };
      return typeof trigger === 'function' && !(await trigger(context)) ? undefined : render(context, view);
    });
    return injected?.text.trim() ? injected : undefined;
  }

  function failed(error: unknown, signal: AbortSignal | undefined): void {
    if (!signal?.aborted) warn(logger, `Nothing was injected into this model call (${errorType(error)}).`);
  }

  /** Renders once for all calls of a turn. */
  function begin(turn: Turn, messages: readonly Message[], view: View): Rendering {
    const control = new AbortController();
    const startedAt = performance.now();
    const end = (isDone: boolean, injected?: Injected) => {
      rendering.isPending = false;
      if (turn.rendering !== rendering) return;
      turn.rendering = undefined;
      turn.isDone = isDone;
      turn.injected = injected;
    };
    const done = renderNow(messages, view, control.signal).then(
      (injected) => end(true, injected),
      (error) => {
        // A fast failure may succeed at the next call. A hanging one would delay that, too.
        end(performance.now() - startedAt >= deadlineMs / 2);
        failed(error, control.signal);
      },
    );
    const rendering: Rendering = { done, control, callers: 0, isPending: true };
    turn.rendering = rendering;
    return rendering;
  }

  async function ready(
    turn: Turn,
    messages: readonly Message[],
    view: View,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (turn.isDone) return;
    const rendering = turn.rendering ?? begin(turn, messages, view);
    rendering.callers++;
    try {
      await (signal === undefined ? rendering.done : untilAborted(signal, () => rendering.done));
    } finally {
      // Aborted when nobody waits any more: then the next call renders again.
      if (--rendering.callers === 0 && rendering.isPending) {
        turn.rendering = undefined;
        rendering.control.abort(signal?.reason);
      }
    }
  }

  async function find(
    messages: readonly Message[],
    signal: AbortSignal | undefined,
    historyOnServer: boolean,
  ): Promise<InjectedBlock[]> {
    if (trigger !== 'userTurn') {
      const index = messages.findLastIndex(({ role }) => role === 'user');
      const injected = index === -1 ? undefined : await renderNow(messages, { earlier: [], historyOnServer }, signal);
      return injected === undefined ? [] : [{ index, text: injected.text }];
    }
    const places = placesOf(messages);
    const earlier = places.map(({ turn }) => turn);
    const latest = earlier.pop();
    for (const { turn } of places) {
      if (!turn.injected?.isStale?.()) continue;
      turn.injected = undefined;
      // Another text shows what else was in it.
      if (latest !== undefined) latest.isDone = false;
    }
    if (latest !== undefined) await ready(latest, messages, { earlier, historyOnServer }, signal);
    // The texts of earlier turns stay, even without one for this turn.
    return places.flatMap(({ index, turn: { injected } }) => (injected ? [{ index, text: injected.text }] : []));
  }

  async function blocks(messages: readonly Message[], options?: InjectOptions): Promise<InjectedBlock[]> {
    let signal: AbortSignal | undefined;
    try {
      signal = options?.signal;
      return await find(messages, signal, options?.historyOnServer ?? false);
    } catch (error) {
      // Unknown message formats must not make a model call fail.
      failed(error, signal);
      return [];
    }
  }

  return {
    blocks,
    async inject(messages, options) {
      const copy = [...messages];
      for (const { index, text } of await blocks(messages, options)) {
        copy[index] = append(copy[index] as Message, text);
      }
      return copy;
    },
    async block(messages, options) {
      const texts = (await blocks(messages, options)).map(({ text }) => text);
      return texts.length === 0 ? undefined : texts.join('\n\n');
    },
  };
}

function append(message: Message, text: string): Message {
  const { content } = message;
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : [...content, { text }] };
}
