import { type JsonObject, MemoryError, type MemoryModel } from '@keepsake/core';
import { usageFailure } from './failure.ts';

const DEADLINE_MS = 10 * 60_000;

/** The parts of a response that are read here. */
interface ModelResponse {
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  readonly error?: { readonly message?: string } | null;
}

/** The model that the environment names: of OpenAI's Responses API, or of whatever server speaks it. */
export function openAiModel(env: NodeJS.ProcessEnv): MemoryModel {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL, OPENAI_MODEL } = env;
  if (!key)
    throw usageFailure('OPENAI_API_KEY is not set. To distil, a model is needed; OPENAI_BASE_URL says where it is.');
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
        const why = error.cause instanceof Error ? error.cause.message : error.message;
        throw new MemoryError('BACKEND', `The model can't be reached (${why}).`, { cause: error });
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
    throw new MemoryError(
      'BACKEND',
      `The model failed: ${response.status} ${body?.error?.message ?? response.statusText}.`,
    );
  }
  const parts = body?.output?.flatMap(({ content = [] }) => content) ?? [];
  const { usage } = body ?? {};
  return {
    text: parts.map(({ text = '' }) => text).join(''),
    ...(usage && { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
  };
}
