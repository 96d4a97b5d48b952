import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/*
 * Messages of user interfaces, as the AI SDK has them: their content is in `parts`, and a part holds a tool call together
 * with its result.
 */

/** The parts of such a message; `undefined` for other items. */
export function uiParts(item: JsonObject): JsonObject[] | undefined {
  if (typeof item.role !== 'string' || item.content !== undefined || !Array.isArray(item.parts)) return undefined;
  return item.parts.filter((part) => isObject(part));
}

export function isUiText(part: JsonObject): boolean {
  return part.type === 'text';
}
