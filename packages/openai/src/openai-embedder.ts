import { type Embedder, MemoryError } from '@keepsake/core';
import { expectKnownFields, type FieldNames, readList, throwIfAborted } from '@keepsake/core/adapter';
import { ask } from './api/call.ts';
import { checkModel } from './api/check-model.ts';
import type { EmbeddingsClient } from './api/openai-client.ts';

/** Options of {@link openaiEmbedder}. */
export interface OpenAIEmbedderOptions {
  /** An `OpenAI` client. */
  readonly client: EmbeddingsClient;
  /** A model that can shorten its vectors, such as `text-embedding-3-small`. */
  readonly model: string;
  /** The length of every vector. */
  readonly dimensions: number;
}

const OPTIONS: FieldNames<OpenAIEmbedderOptions> = { client: true, model: true, dimensions: true };

/** Limits of one request: texts, and characters in place of tokens, because a character is at most about one token. */
const MAX_TEXTS = 2048;
const MAX_CHARACTERS = 250_000;

/**
 * Creates an embedder on the Embeddings API. Batches texts into as few requests as the API allows, sent one after the other.
 * The client does the retries. A text that is empty or over the model's limit (8,192 tokens) is `INVALID_ARGUMENT`.
 */
export function openaiEmbedder(options: OpenAIEmbedderOptions): Embedder {
  const { client, model, dimensions } = expectKnownFields(options, OPTIONS);
  checkModel(client, 'embeddings', model);
  if (!Number.isSafeInteger(dimensions) || dimensions < 1) {
    throw new MemoryError('INVALID_ARGUMENT', '`dimensions` must be a whole number of 1 or more.');
  }
  return {
    id: `openai:${model}:${dimensions}`,
    dimensions,
    async embed(rawTexts, { signal } = {}) {
      throwIfAborted(signal);
      const texts = readList(rawTexts, '`texts`');
      if (!texts.every(Boolean)) throw new MemoryError('INVALID_ARGUMENT', '`texts` must not contain an empty text.');
      const vectors: Float32Array[] = [];
      for (const input of batches(texts)) {
        const { data } = await ask({ action: 'Embedding texts', signal }, (options) =>
          client.embeddings.create({ model, input, dimensions }, options),
        );
        const inOrder = data.toSorted((a, b) => a.index - b.index);
        if (inOrder.length !== input.length || inOrder.some(({ embedding }) => embedding.length !== dimensions)) {
          throw new MemoryError(
            'BACKEND',
            'The service returned vectors of another number or length than requested. Check `model` and `dimensions`.',
          );
        }
        vectors.push(...inOrder.map(({ embedding }) => Float32Array.from(embedding)));
      }
      return vectors;
    },
  };
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length === MAX_TEXTS || (batch.length > 0 && characters + text.length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}
