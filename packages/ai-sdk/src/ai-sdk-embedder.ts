import { type Embedder, MemoryError } from '@keepsake/core';
import { expect, expectFields, readList, throwIfAborted } from '@keepsake/core/adapter';
import { type EmbeddingModel, embedMany } from 'ai';
import { toMemoryError } from './model-errors.ts';

/** Options of {@link aiSdkEmbedder}. */
export interface AiSdkEmbedderOptions {
  /** The length of every vector: the model's own, or a shorter one if the model can shorten its vectors. */
  readonly dimensions: number;
}

/**
 * Makes any embedding model of the AI SDK an embedder for stores. The SDK sends as many texts per request as the model
 * allows, and retries what may pass.
 *
 * @example
 * const embedder = aiSdkEmbedder(openai.embedding('text-embedding-3-small'), { dimensions: 1536 });
 */
export function aiSdkEmbedder(model: EmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  const { dimensions } = expectFields(options, '', { dimensions: 'whole' });
  expect(dimensions !== undefined, '`dimensions` must be the length of the vectors of the model.');
  const name = typeof model === 'string' ? model : `${model.provider}:${model.modelId}`;
  /** Whether the model's own vectors have another length. Models that can't shorten them may refuse to be asked. */
  let shortens = false;

  async function vectorsOf(values: string[], signal: AbortSignal | undefined): Promise<number[][]> {
    const { embeddings } = await embedMany({
      model,
      values,
      telemetry: { recordInputs: false, recordOutputs: false },
      ...(shortens && { dimensions }),
      ...(signal && { abortSignal: signal }),
    });
    if (embeddings.every(({ length }) => length === dimensions)) return embeddings;
    if (shortens) {
      const message = `The model returned vectors of another length than ${dimensions}. Set \`dimensions\` to its length.`;
      throw new MemoryError('BACKEND', message, { retryable: false });
    }
    shortens = true;
    return vectorsOf(values, signal);
  }

  return {
    id: `${name}:${dimensions}`,
    dimensions,
    async embed(rawTexts, { signal } = {}) {
      throwIfAborted(signal);
      const texts = readList(rawTexts, '`texts`');
      expect(texts.every(Boolean), '`texts` must not contain an empty text.');
      if (texts.length === 0) return [];
      try {
        return (await vectorsOf(texts, signal)).map((vector) => Float32Array.from(vector));
      } catch (error) {
        throw toMemoryError(error, 'Embedding texts', signal);
      }
    },
  };
}
