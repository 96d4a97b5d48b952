import type { JsonObject, JsonValue } from '@keepsake/core';

/** Whether a value is an object, rather than a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a model answered with: as an object, as text that is JSON, fenced, or among other words. */
export function jsonAnswer(answer: { readonly text: string; readonly object?: JsonValue }): JsonObject | undefined {
  if (isJsonObject(answer.object)) return answer.object;
  const { text } = answer;
  if (typeof text !== 'string') return undefined;
  for (const part of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      const value: unknown = JSON.parse(part);
      if (isJsonObject(value)) return value;
    } catch {
      // The next part may be JSON.
    }
  }
  return undefined;
}
