import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { vectorOf } from '../word-vector.ts';
import { ApiFailure } from './api-failure.ts';
import { readBody } from './read-body.ts';

const MODELS: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

/** The token limits of a request and of one text. Four characters count as one token. */
const MAX_TOKENS = 300_000;
const MAX_TEXT_TOKENS = 8192;

const body = z.strictObject({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048)]),
  dimensions: z.number().int().min(1).optional(),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  user: z.string().optional(),
});

/** The Embeddings API. */
export function embeddingRoutes(): Route<object>[] {
  return [
    {
      method: 'POST',
      shape: '/v1/embeddings',
      answer(request) {
        const { model, input, dimensions, encoding_format } = readBody(body, request);
        const longest = MODELS[model];
        if (longest === undefined) throw new ApiFailure(404, `The model '${model}' does not exist.`, 'model_not_found');
        if ((dimensions ?? longest) > longest) {
          throw new ApiFailure(
            400,
            `Invalid value for 'dimensions': at most ${longest}.`,
            'invalid_value',
            'dimensions',
          );
        }
        const texts = [input].flat();
        const tokens = texts.map((text) => Math.ceil(text.length / 4));
        const sum = tokens.reduce((total, count) => total + count, 0);
        if (sum > MAX_TOKENS) throw new ApiFailure(400, `Requested ${sum} tokens, max ${MAX_TOKENS} per request.`);
        if (tokens.some((count) => count > MAX_TEXT_TOKENS)) {
          throw new ApiFailure(400, `This model's maximum context length is ${MAX_TEXT_TOKENS} tokens.`, null, 'input');
        }
        const data = texts.map((text, index) => {
          const vector = vectorOf(text, dimensions ?? longest);
          const embedding = encoding_format === 'float' ? Array.from(vector) : toBase64(vector);
          return { object: 'embedding', index, embedding };
        });
        return { object: 'list', model, data, usage: { prompt_tokens: sum, total_tokens: sum } };
      },
    },
  ];
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
