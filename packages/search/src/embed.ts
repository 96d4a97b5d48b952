import { type Embedder, isMemoryError, MemoryError, throwIfAborted } from '@keepsake/core';

/** Throws `INVALID_ARGUMENT` for what can't be an embedder. */
export function checkEmbedder(embedder: Embedder | undefined): void {
  if (embedder === undefined) return;
  const { id, dimensions, embed } = embedder ?? {};
  if (typeof id === 'string' && Number.isSafeInteger(dimensions) && dimensions >= 1 && typeof embed === 'function') {
    return;
  }
  throw new MemoryError(
    'INVALID_ARGUMENT',
    'embedder is to be { id, dimensions, embed }, its dimensions a whole number of 1 or more.',
  );
}

/**
 * The vectors of the texts, in their order, as copies that the embedder can't change any more.
 *
 * @throws MemoryError `ABORTED` where it failed after the signal was aborted; `BACKEND` where it failed otherwise, or
 *   gave something else than one vector of finite 32-bit floats a text.
 */
export async function embed(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const vectors = await ask(embedder, texts, signal);
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    throw new MemoryError('BACKEND', `The embedder is to give a list of ${texts.length}: one vector for each text.`);
  }
  const { dimensions } = embedder;
  return vectors.map((vector) => {
    const copy = Float32Array.from(vector ?? []);
    if (copy.length === dimensions && copy.every(Number.isFinite)) return copy;
    throw new MemoryError('BACKEND', `The embedder gave a vector that is not ${dimensions} finite 32-bit floats.`);
  });
}

async function ask(embedder: Embedder, texts: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await embedder.embed(texts, signal === undefined ? {} : { signal });
  } catch (cause) {
    throwIfAborted(signal);
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError('BACKEND', 'The embedder failed; see the cause.', { cause });
  }
}
