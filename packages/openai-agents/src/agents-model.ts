import { isMemoryError, type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { providerFailure, schemaAnswer, untilAborted } from '@keepsake/internal';
import {
  type Model,
  ModelBehaviorError,
  type ModelRequest,
  type ModelResponse,
  type ModelSettings,
  NoopTrace,
  withTrace,
} from '@openai/agents';

/**
 * Makes any model of the OpenAI Agents SDK a model for memory work: for the `model` of a `MemoryManager`, a `ModelExtractor`
 * and others.
 *
 * A `schema` is sent as strict, so every object in it must list all its properties as required and allow no others. JSON
 * among other words is accepted, for models that don't follow schemas. An answer that is refused, truncated or not JSON is an
 * error (`BACKEND`). Errors have `retryable: false` if the same request can only fail again. Nothing is traced.
 *
 * @example
 * const model = agentsModel(await new OpenAIProvider().getModel('gpt-5-mini'));
 * const memory = new MemoryManager({ stores: [store], model });
 */
export function agentsModel(model: Model): MemoryModel {
  return modelWith(() => model, {});
}

/**
 * A model for memory work that is found when it is first needed.
 *
 * @param find - Called for each request.
 */
export function modelWith(find: () => Model | Promise<Model>, modelSettings: ModelSettings): MemoryModel {
  return {
    async generate({ system, prompt, schema, signal }) {
      throwIfAborted(signal);
      const outputType = schema && { type: 'json_schema' as const, name: 'answer', strict: true, schema };
      const request: ModelRequest = {
        input: prompt,
        modelSettings,
        tools: [],
        handoffs: [],
        outputType: (outputType as ModelRequest['outputType'] | undefined) ?? 'text',
        tracing: false,
        ...(system !== undefined && { systemInstructions: system }),
        ...(signal && { signal }),
      };
      // The SDK's own models can't be called without a trace.
      const answered = () => withTrace(new NoopTrace(), async () => (await find()).getResponse(request));
      const response = await (signal === undefined ? answered() : untilAborted(signal, answered)).catch((error) => {
        throw toMemoryError(error, signal);
      });
      const text = textOf(response);
      return { text, ...(schema && { object: parse(text, schema) }), ...usageOf(response) };
    },
  };
}

function textOf({ output }: ModelResponse): string {
  const answers = output.flatMap((item) => (item.type === 'message' && item.role === 'assistant' ? [item] : []));
  const parts = answers.flatMap(({ content }) => content);
  if (parts.some(({ type }) => type === 'refusal')) throw failure('The model refused to answer.');
  if (answers.some(({ status }) => status === 'incomplete')) {
    throw failure("The model's answer was truncated at its token limit. Use a model with a higher limit.");
  }
  return parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

function parse(text: string, schema: JsonObject): JsonValue {
  const object = schemaAnswer({ text }, schema) as JsonValue | undefined;
  // No cause, because it would quote the answer.
  if (object === undefined) {
    throw new MemoryError('BACKEND', 'The model did not answer with JSON. Use a model with structured outputs.');
  }
  return object;
}

function usageOf({ usage: { inputTokens, outputTokens } }: ModelResponse) {
  return inputTokens + outputTokens === 0 ? {} : { usage: { inputTokens, outputTokens } };
}

function toMemoryError(error: unknown, signal: AbortSignal | undefined): MemoryError {
  if (isMemoryError(error)) return error;
  const action = 'Asking the model';
  if (signal?.aborted) {
    return new MemoryError('ABORTED', `${action} was aborted by the caller.`, { cause: signal.reason });
  }
  // The token limit or a content filter. A response that failed may succeed later.
  if (error instanceof ModelBehaviorError && !error.message.includes('response.failed')) {
    return failure('The model ended its answer early, at its token limit or because of a content filter.');
  }
  const { code, message, ...rest } = providerFailure(action, error);
  return new MemoryError(code, message, rest);
}

/** A failure that the same request has each time. */
function failure(message: string): MemoryError {
  return new MemoryError('BACKEND', message, { retryable: false });
}
