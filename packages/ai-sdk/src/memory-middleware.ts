import type { Conversation, MemoryManager, Message } from '@keepsake/core';
import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { LanguageModelMiddleware } from 'ai';
import { type Collected, collect } from './collect.ts';
import { type CallOptions, newInput, type Prompt, toAnswer, toMessages, withInjected } from './messages.ts';

export interface MemoryMiddlewareOptions {
  /**
   * The id of the conversation, which is the thread of its memories.
   *
   * @default a new id for this middleware
   */
  readonly conversationId?: string | undefined;
}

const OPTIONS: FieldNames<MemoryMiddlewareOptions> = { conversationId: true };

/**
 * A middleware that gives models of the AI SDK memory: it injects memories into the model's input and observes the
 * conversation for extraction. Create one per conversation, for `wrapLanguageModel`.
 *
 * A turn ends with an answer that calls none of your tools. A failed or aborted turn doesn't count, and its input is not
 * remembered. Injected memories never enter your messages. Await `memory.flush()` before the process ends.
 */
export function memoryMiddleware(
  memory: MemoryManager,
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  expectKnownFields(options, OPTIONS);
  const { conversationId } = options;
  const chat = memory.conversation({ id: conversationId });

  const remember = async (params: CallOptions, answer: Collected | undefined) => {
    const reason = answer?.finishReason.unified ?? 'error';
    const failed = FAILURES.includes(reason);
    if (answer !== undefined && !failed) chat.observe(...newlyAsked(chat, params.prompt), toAnswer(answer.content));
    if (reason === 'tool-calls') return;
    // The manager has reported the failure. The answer must not be lost because of it.
    await chat.endTurn({ failed }).catch(() => {});
  };
  const recall = async (params: CallOptions): Promise<CallOptions> => {
    const { abortSignal: signal, prompt } = params;
    const messages = toMessages(prompt);
    const injected = await chat.inject(messages, { signal });
    return { ...params, prompt: withInjected(prompt, messages, injected) };
  };
  /** A failed call ends the turn. */
  const orFail = async <T>(params: CallOptions, call: PromiseLike<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      await remember(params, undefined);
      throw error;
    }
  };

  return {
    specificationVersion: 'v4',
    // Calls the model directly instead of using `transformParams`: the block would then be in the parameters that are
    // observed here.
    async wrapGenerate({ params, model }) {
      const answer = await orFail(params, model.doGenerate(await recall(params)));
      await remember(params, answer);
      return answer;
    },
    async wrapStream({ params, model }) {
      const { stream, ...rest } = await orFail(params, model.doStream(await recall(params)));
      return { ...rest, stream: stream.pipeThrough(collect((answer) => remember(params, answer))) };
    },
  };
}

const FAILURES: readonly string[] = ['error', 'interrupted'];

/** The last question in a conversation and its position. */
const lastAsked = new WeakMap<Conversation, string>();

/** The new part of a prompt, or nothing if it repeats the last question to get another answer. */
function newlyAsked(chat: Conversation, prompt: Prompt): Message[] {
  const input = newInput(prompt);
  const messages = toMessages(input);
  if (!messages.some(({ role }) => role === 'user')) return messages;
  const asked = JSON.stringify([prompt.indexOf(input[0] as Prompt[number]), messages]);
  if (lastAsked.get(chat) === asked) return [];
  lastAsked.set(chat, asked);
  return messages;
}
