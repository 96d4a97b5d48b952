import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { usageFailure } from '../failure.ts';

const DEADLINE_MS = 10 * 60_000;

/** The fields of a response that the CLI reads. */
interface ModelResponse {
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  readonly error?: { readonly message?: string } | null;
}

/** The model that the environment configures, on OpenAI's Responses API or a compatible server. */
export function openAiModel(env: NodeJS.ProcessEnv): MemoryModel {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL, OPENAI_MODEL } = env;
  if (!key)
    throw usageFailure(
      'OPENAI_API_KEY is not set. Set it to generate memories. To use a compatible server, also set OPENAI_BASE_URL.',
    );
  const url = `${(OPENAI_BASE_URL || 'https://api.openai.com/v1').replace(/\/+$/, '')}/responses`;
  return {
    async generate({ system, prompt, schema, signal }) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: OPENAI_MODEL || 'gpt-5-mini',
          instructions: system,
          input: prompt,
          store: false,
          ...(schema !== undefined && { text: { format: asFormat(schema) } }),
        }),
        signal: AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])]),
      }).catch((error: Error) => {
        const { cause } = error;
        // If a host has several addresses, Node's message is empty, and only the code tells.
        const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : error.message;
        throw new MemoryError('BACKEND', `Cannot reach the model (${why}).`, { cause: error });
      });
      return readResponse(response);
    },
  };
}

function asFormat(schema: JsonObject) {
  return { type: 'json_schema', name: 'answer', strict: true, schema };
}

async function readResponse(response: Response) {
  const body = (await response.json().catch(() => undefined)) as ModelResponse | undefined;
  if (!response.ok || body?.error) {
    const reason = body?.error?.message ?? response.statusText;
    throw new MemoryError('BACKEND', `The model request failed: ${response.status} ${reason.replace(/\.$/, '')}.`);
  }
  const parts = body?.output?.flatMap(({ content = [] }) => content) ?? [];
  const { usage } = body ?? {};
  return {
    text: parts.map(({ text = '' }) => text).join(''),
    ...(usage && { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
  };
}
