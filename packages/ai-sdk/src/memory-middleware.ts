import type { Conversation, MemoryManager, Message } from '@keepsake/core';
import type { LanguageModelMiddleware } from 'ai';
import { type Collected, collect } from './collect.ts';
import { type CallOptions, newInput, type Prompt, toAnswer, toMessages, withInjected } from './messages.ts';

export interface MemoryMiddlewareOptions {
  /** Names the conversation: the thread of what is remembered of it. By default one of this middleware's own. */
  readonly conversationId?: string | undefined;
}

/**
 * Memory for the models of the AI SDK: what is known comes into the model's input, and what is said is remembered as
 * the memory's stores are set up. Make one a conversation, for `wrapLanguageModel`.
 *
 * The turn is over with an answer that calls no tool of yours; one that fails or is aborted doesn't count, and what was
 * asked in it is not remembered. The messages that you hold never have in them what was injected. Await
 * `memory.flush()` before the process ends.
 */
export function memoryMiddleware(
  memory: MemoryManager,
  { conversationId }: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  const chat = memory.conversation({ id: conversationId });

  const remember = async (params: CallOptions, answer: Collected | undefined) => {
    const reason = answer?.finishReason.unified ?? 'error';
    const failed = FAILURES.includes(reason);
    if (answer !== undefined && !failed) chat.observe(...newlyAsked(chat, params.prompt), toAnswer(answer.content));
    if (reason === 'tool-calls') return;
    // What the outbox could not take was reported. It is no reason to lose the answer.
    await chat.endTurn({ failed }).catch(() => {});
  };
  const recall = async (params: CallOptions): Promise<CallOptions> => {
    const { abortSignal: signal, prompt } = params;
    const messages = toMessages(prompt);
    const injected = await chat.inject(messages, { signal });
    return { ...params, prompt: withInjected(prompt, messages, injected) };
  };
  /** A call that fails ends the turn, in which nothing more can be said. */
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
    // The model is called directly: were the block added by `transformParams`, it would be in the parameters that are
    // read here for what was said.
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

/** What the user asked last in a conversation, and where. */
const lastAsked = new WeakMap<Conversation, string>();

/** What is new in a prompt, but for what was asked already and is only to be answered anew. */
function newlyAsked(chat: Conversation, prompt: Prompt): Message[] {
  const input = newInput(prompt);
  const messages = toMessages(input);
  if (!messages.some(({ role }) => role === 'user')) return messages;
  const asked = JSON.stringify([prompt.indexOf(input[0] as Prompt[number]), messages]);
  if (lastAsked.get(chat) === asked) return [];
  lastAsked.set(chat, asked);
  return messages;
}
