import type { Embedder } from '@keepsake/core';

/** Counts the words of a text by a hash of their letters: the same text has the same vector on every machine. */
export const fakeEmbedder: Embedder = {
  id: 'fake-16',
  dimensions: 16,
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(16);
      for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
        let hash = 7;
        for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
        vector[hash % 16] = (vector[hash % 16] ?? 0) + 1;
      }
      return vector;
    });
  },
};
