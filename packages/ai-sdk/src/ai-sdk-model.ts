import { type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';
import { schemaAnswer } from '@keepsake/internal';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  NoObjectGeneratedError,
  Output,
} from 'ai';
import { toMemoryError } from './model-errors.ts';
import { withOwnCalls } from './own-calls.ts';

/**
 * Makes any language model of the AI SDK a model for memory work: for the `model` of a `MemoryManager`, a `ModelExtractor`
 * and others. The SDK retries what may pass.
 *
 * An answer that is blocked, refused, truncated or not the requested JSON is an error (`BACKEND`), and so is every other
 * failure. Errors have `retryable: false` if the same request can only fail again. Telemetry of the SDK doesn't record
 * prompts and answers.
 *
 * @example
 * const memory = new MemoryManager({ stores: [store], model: aiSdkModel(anthropic('claude-haiku-4-5')) });
 */
export function aiSdkModel(model: LanguageModel): MemoryModel {
  const asked = withOwnCalls(model);
  return {
    async generate({ system, prompt, schema, signal }) {
      throwIfAborted(signal);
      try {
        const result = await generateText({
          model: asked,
          prompt,
          telemetry: { recordInputs: false, recordOutputs: false },
          ...(system !== undefined && { instructions: system }),
          ...(signal && { abortSignal: signal }),
          ...(schema && { output: Output.object({ schema: jsonSchema<JsonValue>(schema) }) }),
        });
        expectComplete(result.finishReason);
        return { text: result.text, ...(schema && { object: result.output as JsonValue }), ...usageOf(result.usage) };
      } catch (error) {
        if (schema && NoObjectGeneratedError.isInstance(error)) return readLoosely(error, schema);
        throw toMemoryError(error, 'Asking the model', signal);
      }
    },
  };
}

/** The answer of a model that puts other words around the JSON, because it doesn't follow schemas. */
function readLoosely({ text = '', finishReason, usage }: NoObjectGeneratedError, schema: JsonObject) {
  expectComplete(finishReason);
  const object = schemaAnswer({ text }, schema) as JsonValue | undefined;
  if (object === undefined) {
    // No cause, because it would quote the answer.
    throw new MemoryError('BACKEND', 'The model did not answer with JSON. Use a model with structured outputs.');
  }
  return { text, object, ...usageOf(usage) };
}

function expectComplete(finishReason: string | undefined): void {
  const faults: Readonly<Record<string, readonly [message: string, retryable: boolean]>> = {
    'content-filter': ['The provider blocked the request or the answer (content filter).', false],
    length: ["The model's answer was truncated at its token limit. Use a model with a higher limit.", false],
    error: ['The model stopped because of an error. Try again later.', true],
    interrupted: ["The model's answer broke off. Try again later.", true],
  };
  const [message, retryable] = faults[finishReason ?? ''] ?? [];
  if (message !== undefined) throw new MemoryError('BACKEND', message, { retryable: retryable === true });
}

function usageOf(usage: LanguageModelUsage | undefined) {
  const { inputTokens, outputTokens } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined) return {};
  return { usage: { inputTokens, outputTokens } };
}
