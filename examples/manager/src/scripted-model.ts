import type { MemoryModel } from '@keepsake/core';

/** Stands in for a language model, so that these programs need no key: it gives one answer after the other. */
export function scriptedModel(...answers: readonly object[]): MemoryModel {
  const left = [...answers];
  return { generate: async () => ({ text: JSON.stringify(left.shift() ?? { changes: [] }) }) };
}
