import { type Embedder, isMemoryError, MemoryError } from '@keepsake/core';
import { throwIfAborted } from '@keepsake/core/adapter';

/** Throws `INVALID_ARGUMENT` for an invalid embedder. */
export function checkEmbedder(embedder: Embedder | undefined): void {
  if (embedder === undefined) return;
  const { id, dimensions, embed } = embedder ?? {};
  if (typeof id === 'string' && Number.isSafeInteger(dimensions) && dimensions >= 1 && typeof embed === 'function') {
    return;
  }
  throw new MemoryError(
    'INVALID_ARGUMENT',
    '`embedder` must be { id, dimensions, embed } with a whole number of dimensions ≥ 1.',
  );
}

/**
 * The vectors of the texts, in order, as copies that the embedder can't change.
 *
 * @throws MemoryError `ABORTED` if it failed after the signal was aborted; `BACKEND` if it failed otherwise, or did not
 *   return one vector of finite 32-bit floats per text.
 */
export async function embed(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const vectors = await ask(embedder, texts, signal);
  try {
    return copiesOf(vectors, texts.length, embedder.dimensions);
  } catch (cause) {
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError('BACKEND', 'The embedder returned vectors that throw an error, see the cause.', { cause });
  }
}

function copiesOf(vectors: unknown, count: number, dimensions: number): Float32Array[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    throw new MemoryError('BACKEND', `The embedder must return ${count} vectors, one per text.`);
  }
  return Array.from(vectors as readonly (ArrayLike<number> | undefined)[], (vector) => {
    const copy = Float32Array.from(vector ?? []);
    if (copy.length === dimensions && copy.every(Number.isFinite)) return copy;
    throw new MemoryError('BACKEND', `The embedder returned a vector that is not ${dimensions} finite 32-bit floats.`);
  });
}

async function ask(embedder: Embedder, texts: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await embedder.embed(texts, signal === undefined ? {} : { signal });
  } catch (cause) {
    throwIfAborted(signal);
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError('BACKEND', 'The embedder failed, see the cause.', { cause });
  }
}
