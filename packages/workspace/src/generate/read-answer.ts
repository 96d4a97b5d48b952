import { MemoryError } from '@keepsake/core';
import { isRecord } from '../check-fields.ts';

/**
 * The JSON object of an answer: given as such, or as text, alone, fenced, or among other words.
 *
 * @throws MemoryError `BACKEND` where there is none.
 */
export function readAnswer(answer: { readonly text: string; readonly object?: unknown }): Record<string, unknown> {
  if (isRecord(answer.object)) return answer.object;
  const text = typeof answer.text === 'string' ? answer.text : '';
  for (const part of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      const value: unknown = JSON.parse(part);
      if (isRecord(value)) return value;
    } catch {
      // The next part may be JSON.
    }
  }
  throw notUnderstood('it is no JSON object');
}

/** The model's fault, in words that hold nothing of what it said. */
export function notUnderstood(why: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The model did not answer as it was asked to: ${why}. Use one that follows schemas.`,
  );
}
