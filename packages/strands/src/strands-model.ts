import { isMemoryError, type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { providerFailure, schemaAnswer, untilAborted } from '@keepsake/internal';
import {
  ContextWindowOverflowError,
  MaxTokensError,
  Message,
  type Model,
  ModelThrottledError,
  type StreamOptions,
  TextBlock,
  type ToolSpec,
} from '@strands-agents/sdk';

/**
 * Makes any model of the Strands SDK a model for memory work: for the `model` of a `MemoryManager`, a `ModelExtractor` and
 * others.
 *
 * With a `schema`, the model is given a tool for the answer, and JSON in its text is accepted, too. If it answers without
 * either, it is asked again and forced to use the tool. An answer that is refused, truncated or not JSON is an error
 * (`BACKEND`). Errors have `retryable: false` if the same request can only fail again.
 *
 * @example
 * const memory = new MemoryManager({ stores: [store], model: strandsModel(new BedrockModel()) });
 */
export function strandsModel(model: Model): MemoryModel {
  return {
    async generate({ system, prompt, schema, signal }) {
      throwIfAborted(signal);
      const messages = [new Message({ role: 'user', content: [new TextBlock(prompt)] })];
      const options: StreamOptions = {
        ...(system !== undefined && { systemPrompt: system }),
        ...(signal && { cancelSignal: signal }),
      };
      if (schema === undefined) {
        const answer = await ask(model, messages, options, signal);
        return { text: answer.text, ...usageOf(answer) };
      }
      const toolSpecs = [answerTool(schema)];
      const free = await ask(model, messages, { ...options, toolSpecs }, signal, schema);
      if (free.object !== undefined) return { text: free.text, object: free.object, ...usageOf(free) };
      const toolChoice = { tool: { name: ANSWER } };
      const forced = await ask(model, messages, { ...options, toolSpecs, toolChoice }, signal, schema);
      // No cause, because it would quote the answer.
      if (forced.object === undefined) throw failure('The model did not answer with JSON. Use a model with tools.');
      return { text: forced.text, object: forced.object, ...usageOf(free, forced) };
    },
  };
}

const ANSWER = 'answer';

function answerTool(schema: JsonObject): ToolSpec {
  return {
    name: ANSWER,
    description: 'Takes the answer. Call it once, with the whole answer.',
    inputSchema: schema as NonNullable<ToolSpec['inputSchema']>,
  };
}

interface Answer {
  readonly text: string;
  readonly object: JsonValue | undefined;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

async function ask(
  model: Model,
  messages: Message[],
  options: StreamOptions,
  signal: AbortSignal | undefined,
  schema?: JsonObject,
): Promise<Answer> {
  const answered = () => resultOf(model.streamAggregated(messages, options));
  const result = await (signal === undefined ? answered() : untilAborted(signal, answered)).catch((error) => {
    throw toMemoryError(error, signal);
  });
  if (REFUSED.has(result.stopReason)) throw failure('The model or its guardrail refused to answer.', false);
  if (result.stopReason === 'modelContextWindowExceeded') throw truncated();
  const { content } = result.message;
  const text = content.map((block) => (block.type === 'textBlock' ? block.text : '')).join('');
  const call = content.find((block) => block.type === 'toolUseBlock' && block.name === ANSWER);
  const input = call?.type === 'toolUseBlock' ? call.input : undefined;
  const object = schema && (schemaAnswer({ text, object: input }, schema) as JsonValue | undefined);
  return {
    text: text === '' && object !== undefined ? JSON.stringify(object) : text,
    object,
    usage: result.metadata?.usage,
  };
}

const REFUSED: ReadonlySet<string> = /* @__PURE__ */ new Set(['contentFiltered', 'guardrailIntervened', 'refusal']);

/** The return value of a generator, after all its events. */
async function resultOf<Result>(events: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
  }
}

/** The sum of the tokens, if the model reports them. */
function usageOf(...answers: readonly Answer[]) {
  const usages = answers.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return {};
  const sum = (field: 'inputTokens' | 'outputTokens') => usages.reduce((total, usage) => total + usage[field], 0);
  return { usage: { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') } };
}

function toMemoryError(error: unknown, signal: AbortSignal | undefined): MemoryError {
  if (isMemoryError(error)) return error;
  const action = 'Asking the model';
  if (signal?.aborted) {
    return new MemoryError('ABORTED', `${action} was aborted by the caller.`, { cause: signal.reason });
  }
  // These errors have a text of the provider or the answer, so they are not the cause.
  if (error instanceof MaxTokensError) return truncated();
  if (error instanceof ContextWindowOverflowError) {
    return new MemoryError('TOO_LARGE', `${action} was refused: the request is too large.`, { retryable: false });
  }
  if (error instanceof ModelThrottledError)
    return failure(`${action} was refused: too many requests. Try again later.`, true);
  const { code, message, ...rest } = providerFailure(action, error);
  return new MemoryError(code, message, rest);
}

function truncated(): MemoryError {
  return failure("The model's answer was truncated at its token limit. Use a model with a higher limit.", false);
}

function failure(message: string, retryable?: boolean): MemoryError {
  return new MemoryError('BACKEND', message, retryable === undefined ? {} : { retryable });
}
