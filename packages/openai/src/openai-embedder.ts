import { type Embedder, MemoryError, throwIfAborted } from '@keepsake/core';
import { ask } from './call.ts';
import type { EmbeddingsClient } from './openai-client.ts';

/** Which model to embed with. */
export interface OpenAIEmbedderOptions {
  /** An `OpenAI` client. */
  readonly client: EmbeddingsClient;
  /** Such as `text-embedding-3-small`: one that can shorten its vectors. */
  readonly model: string;
  /** The length of every vector. */
  readonly dimensions: number;
}

/** What the API takes in one request: texts, and tokens, of which a character is at most about one. */
const MAX_TEXTS = 2048;
const MAX_CHARACTERS = 250_000;

/**
 * An embedder on the Embeddings API. Many texts go in as few requests as the API allows, one after the other; retries are
 * those of the client. A text that is empty or longer than the model takes (8,192 tokens) is `INVALID_ARGUMENT`.
 */
export function openaiEmbedder({ client, model, dimensions }: OpenAIEmbedderOptions): Embedder {
  if (!Number.isSafeInteger(dimensions) || dimensions < 1) {
    throw new MemoryError('INVALID_ARGUMENT', 'dimensions is to be a whole number of 1 or more.');
  }
  return {
    id: `openai:${model}:${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      throwIfAborted(signal);
      if (texts.includes('')) throw new MemoryError('INVALID_ARGUMENT', 'texts are not to be empty.');
      const vectors: Float32Array[] = [];
      for (const input of batches(texts)) {
        const { data } = await ask({ action: 'Embedding texts', signal }, (options) =>
          client.embeddings.create({ model, input, dimensions }, options),
        );
        const inOrder = data.toSorted((a, b) => a.index - b.index);
        if (inOrder.length !== input.length || inOrder.some(({ embedding }) => embedding.length !== dimensions)) {
          throw new MemoryError(
            'BACKEND',
            'The service gave other vectors than were asked for. Check model and dimensions.',
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
