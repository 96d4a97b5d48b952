import type { SegmentInput } from '../../src/index.ts';

/** A completed run with one message and one answer. */
export function said(input: string, answer = 'Done.', updatedAt?: string): SegmentInput {
  return {
    input,
    generatedItems: [{ type: 'message', role: 'assistant', content: answer }],
    terminal: { state: 'completed', hasFinalOutput: true },
    finalOutput: answer,
    updatedAt,
  };
}
