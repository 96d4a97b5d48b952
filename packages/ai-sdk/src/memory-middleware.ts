import type { Conversation, MemoryManager, Message } from '@keepsake/core';
import { checkId, expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import type { LanguageModelMiddleware } from 'ai';
import { aiSdkModel } from './ai-sdk-model.ts';
import { type Collected, collect } from './collect.ts';
import { type CallOptions, type Model, newInput, type Prompt, toAnswer, toMessages, withInjected } from './messages.ts';
import { isOwnCall } from './own-calls.ts';

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
 * Messages are observed as they come: the user's before the model is called, tool results with the next call. A turn ends
 * with an answer that calls none of your tools. A failed or aborted turn doesn't count, but what the user said is kept, once.
 * Injected memories never enter your messages. If extraction needs a model and the manager has none, it uses the wrapped one.
 * Await `memory.flush()` before the process ends.
 *
 * @example
 * const model = wrapLanguageModel({ model: gateway('openai/gpt-5-mini'), middleware: memoryMiddleware(memory) });
 */
export function memoryMiddleware(
  memory: MemoryManager,
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  const { conversationId: id = uuidv7() } = expectKnownFields(options, OPTIONS);
  checkId(id, 'conversationId');
  let current: { readonly model: Model; readonly chat: Conversation } | undefined;

  const open = (model: Model): Conversation => {
    // The model inside, because the wrapped one would learn what memory asks it.
    if (current?.model !== model) current = { model, chat: memory.conversation({ id, model: aiSdkModel(model) }) };
    return current.chat;
  };
  const begin = async (chat: Conversation, params: CallOptions): Promise<CallOptions> => {
    const { abortSignal: signal, prompt } = params;
    const messages = toMessages(prompt);
    const injected = await chat.inject(messages, { signal });
    chat.observe(...newlyAsked(chat, prompt));
    return { ...params, prompt: withInjected(prompt, messages, injected) };
  };
  const end = async (chat: Conversation, answer: Collected | undefined) => {
    const reason = answer?.finishReason.unified ?? 'error';
    const failed = FAILURES.includes(reason);
    if (answer !== undefined && !failed) chat.observe(toAnswer(answer.content));
    if (reason === 'tool-calls') return;
    // The manager has reported the failure. The answer must not be lost because of it.
    await chat.endTurn({ failed }).catch(() => {});
  };
  /** A failed call ends the turn. */
  const orFail = async <T>(chat: Conversation, call: PromiseLike<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      await end(chat, undefined);
      throw error;
    }
  };

  return {
    specificationVersion: 'v4',
    // Calls the model directly instead of using `transformParams`: the block would then be in the parameters that are
    // observed here.
    async wrapGenerate({ params, model, doGenerate }) {
      if (isOwnCall(params.prompt)) return doGenerate();
      const chat = open(model);
      const answer = await orFail(chat, model.doGenerate(await begin(chat, params)));
      await end(chat, answer);
      return answer;
    },
    async wrapStream({ params, model, doStream }) {
      if (isOwnCall(params.prompt)) return doStream();
      const chat = open(model);
      const { stream, ...rest } = await orFail(chat, model.doStream(await begin(chat, params)));
      return { ...rest, stream: stream.pipeThrough(collect((answer) => end(chat, answer))) };
    },
  };
}

const FAILURES: readonly string[] = ['error', 'interrupted'];

/** The input of a model at a place of a prompt, as far as it was observed. */
interface Observed {
  readonly place: string;
  readonly messages: readonly string[];
}

/** The latest inputs of a conversation: with a question, and with results of tools only. */
interface Latest {
  readonly question?: Observed;
  readonly results?: Observed;
}

const latest = new WeakMap<Conversation, Latest>();

/**
 * The messages of a prompt that the conversation has not observed: those after the last answer of the model, without those
 * of a call that failed before, or was made again for another answer.
 */
function newlyAsked(chat: Conversation, prompt: Prompt): Message[] {
  const { before, input } = newInput(prompt);
  if (input.length === 0) return [];
  const messages = toMessages(input);
  const lastInputs = latest.get(chat) ?? {};
  const place = JSON.stringify([prompt.indexOf(input[0] as Prompt[number]), before && toMessages([before])]);
  const asked = messages.map((message) => JSON.stringify(message));
  const earlier = [lastInputs.question, lastInputs.results].find((one) => one?.place === place)?.messages ?? [];
  const kind = messages.some(({ role }) => role === 'user') ? 'question' : 'results';
  latest.set(chat, { ...lastInputs, [kind]: { place, messages: asked } });
  const firstNew = asked.findIndex((message, index) => message !== earlier[index]);
  return firstNew === -1 ? [] : messages.slice(firstNew);
}
