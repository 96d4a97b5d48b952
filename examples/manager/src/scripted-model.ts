import type { MemoryModel } from '@keepsake/core';

/** A scripted model, so that these programs need no API key: it returns one answer after the other. */
export function scriptedModel(...answers: readonly object[]): MemoryModel {
  const left = [...answers];
  return { generate: async () => ({ text: JSON.stringify(left.shift() ?? { changes: [] }) }) };
}
