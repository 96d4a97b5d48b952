import { type JsonObject, type JsonValue, MemoryError, type MemoryModel } from '@keepsake/core';
import { expectKnownFields, type FieldNames, throwIfAborted } from '@keepsake/core/adapter';
import { schemaAnswer } from '@keepsake/internal';
import { ask } from './api/call.ts';
import { checkModel } from './api/check-model.ts';
import type { ModelResponse, ResponsesClient } from './api/openai-client.ts';

/** Options of {@link openaiModel}. */
export interface OpenAIModelOptions {
  /** An `OpenAI` client. */
  readonly client: ResponsesClient;
  /** A model with structured outputs, such as `gpt-5-mini`. */
  readonly model: string;
}

const OPTIONS: FieldNames<OpenAIModelOptions> = { client: true, model: true };

/**
 * Creates a model for memory work on the Responses API. OpenAI stores nothing (`store: false`).
 *
 * A `schema` is sent as strict, so every object in it must list all its properties as required and allow no others. JSON among
 * other words is accepted, for models of compatible servers that don't follow schemas. An answer that is refused, truncated or
 * not JSON is an error (`BACKEND`).
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options.
 */
export function openaiModel(options: OpenAIModelOptions): MemoryModel {
  const { client, model } = expectKnownFields(options, OPTIONS);
  checkModel(client, 'responses', model);
  return {
    async generate({ system, prompt, schema, signal }) {
      throwIfAborted(signal);
      const format = { type: 'json_schema' as const, name: 'answer', schema: schema ?? {}, strict: true };
      const request = {
        model,
        input: prompt,
        store: false,
        stream: false as const,
        ...(system === undefined ? {} : { instructions: system }),
        ...(schema === undefined ? {} : { text: { format } }),
      };
      const response = await ask({ action: 'Asking the model', signal }, (options) =>
        client.responses.create(request, options),
      );
      const text = textOf(response);
      return { text, ...(schema === undefined ? {} : { object: parse(text, schema) }), ...usageOf(response) };
    },
  };
}

type Block = { readonly type: string; readonly text?: string };

function textOf({ output, incomplete_details }: ModelResponse): string {
  if (incomplete_details !== null) {
    throw new MemoryError(
      'BACKEND',
      `The model's answer was truncated (${incomplete_details.reason ?? 'no reason given'}).`,
    );
  }
  const blocks = (output as readonly { readonly content?: readonly Block[] }[]).flatMap(({ content }) => content ?? []);
  if (blocks.some(({ type }) => type === 'refusal')) throw new MemoryError('BACKEND', 'The model refused to answer.');
  return blocks.map(({ type, text }) => (type === 'output_text' ? (text ?? '') : '')).join('');
}

function parse(text: string, schema: JsonObject): JsonValue {
  const object = schemaAnswer({ text }, schema) as JsonValue | undefined;
  // No cause, because it would quote the answer.
  if (object === undefined) {
    throw new MemoryError('BACKEND', 'The model did not answer with JSON. Use a model with structured outputs.');
  }
  return object;
}

function usageOf({ usage }: ModelResponse) {
  if (usage === undefined) return {};
  return { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } };
}
