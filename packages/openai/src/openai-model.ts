import { type JsonValue, MemoryError, type MemoryModel, throwIfAborted } from '@keepsake/core';
import { ask } from './call.ts';
import type { ModelResponse, ResponsesClient } from './openai-client.ts';

/** Which model to ask. */
export interface OpenAIModelOptions {
  /** An `OpenAI` client. */
  readonly client: ResponsesClient;
  /** Such as `gpt-5-mini`: one that knows structured outputs. */
  readonly model: string;
}

/**
 * A model for the work of memory, on the Responses API. Nothing of it is stored at OpenAI (`store: false`).
 *
 * A `schema` is followed strictly, so it is to be one that the API takes as strict: every object lists all its properties
 * as required and allows no others. An answer that is refused, cut off or no JSON is an error (`BACKEND`).
 */
export function openaiModel({ client, model }: OpenAIModelOptions): MemoryModel {
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
      return { text, ...(schema === undefined ? {} : { object: parse(text) }), ...usageOf(response) };
    },
  };
}

type Block = { readonly type: string; readonly text?: string };

function textOf({ output, incomplete_details }: ModelResponse): string {
  if (incomplete_details !== null) {
    throw new MemoryError(
      'BACKEND',
      `The answer of the model was cut off (${incomplete_details.reason ?? 'no reason'}).`,
    );
  }
  const blocks = (output as readonly { readonly content?: readonly Block[] }[]).flatMap(({ content }) => content ?? []);
  if (blocks.some(({ type }) => type === 'refusal')) throw new MemoryError('BACKEND', 'The model refused to answer.');
  return blocks.map(({ type, text }) => (type === 'output_text' ? (text ?? '') : '')).join('');
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Without a cause: it would quote the answer.
    throw new MemoryError('BACKEND', 'The model answered with what is no JSON. Use a model with structured outputs.');
  }
}

function usageOf({ usage }: ModelResponse) {
  if (usage === undefined) return {};
  return { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } };
}
