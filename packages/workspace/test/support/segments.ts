import type { SegmentInput } from '../../src/index.ts';

/** A run in which something was said and answered. */
export function said(input: string, answer = 'Done.', updatedAt?: string): SegmentInput {
  return {
    input,
    generatedItems: [{ type: 'message', role: 'assistant', content: answer }],
    terminal: { state: 'completed', hasFinalOutput: true },
    finalOutput: answer,
    updatedAt,
  };
}
