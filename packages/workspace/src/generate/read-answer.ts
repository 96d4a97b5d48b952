import { MemoryError } from '@keepsake/core';
import { objectAnswer } from '@keepsake/internal';

/**
 * The JSON object of an answer: given as such, or as text, alone, fenced, or among other words.
 *
 * @param names - The fields that it may have.
 * @throws MemoryError `BACKEND` where there is none.
 */
export function readAnswer(
  answer: { readonly text: string; readonly object?: unknown },
  names: readonly string[],
): Record<string, unknown> {
  const object = objectAnswer(answer, names);
  if (object === undefined) throw notUnderstood('it is no JSON object');
  return object;
}

/** An error about the model's answer, without quoting it. */
export function notUnderstood(why: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The model's answer has the wrong form: ${why}. Use a model that supports schemas.`,
  );
}
