import type { Embedder } from '@keepsake/core';

const DIMENSIONS = 16;

/** Counts the letters of a text by their codes, so that equal texts have equal vectors. */
export const fakeEmbedder: Embedder = {
  id: 'fake-16',
  dimensions: DIMENSIONS,
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      for (const letter of text.toLowerCase()) {
        const dimension = (letter.codePointAt(0) ?? 0) % DIMENSIONS;
        vector[dimension] = (vector[dimension] ?? 0) + 1;
      }
      return vector;
    });
  },
};
