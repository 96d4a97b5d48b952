import { type JsonObject, MemoryError } from '@keepsake/core';
import { isObject, schemaAnswer } from '@keepsake/internal';

/**
 * The JSON object of an answer: given as such, or as text, alone, fenced, or among other words.
 *
 * @param schema - What was asked for. The answer may leave out fields.
 * @throws MemoryError `BACKEND` where there is none.
 */
export function readAnswer(
  answer: { readonly text: string; readonly object?: unknown },
  schema: JsonObject,
): Record<string, unknown> {
  const object = schemaAnswer(answer, schema);
  const isAsked = (name: string) => Object.hasOwn(schema.properties as JsonObject, name);
  if (!isObject(object) || !Object.keys(object).some(isAsked)) throw notUnderstood('it is no JSON object');
  return object;
}

/** An error about the model's answer, without quoting it. */
export function notUnderstood(why: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The model's answer has the wrong form: ${why}. Use a model that supports schemas.`,
  );
}
