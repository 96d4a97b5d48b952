import type { JsonObject, JsonValue } from '@keepsake/core';
import { withoutToolCalls } from '@keepsake/core/adapter';
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

export function isUiTool({ type, toolCallId }: JsonObject): boolean {
  return typeof toolCallId === 'string' && /^(tool-.+|dynamic-tool)$/.test(String(type));
}

/** A history without tools, of items of any kind: see `withoutToolCalls`. */
export function withoutTools(items: readonly JsonObject[]): JsonObject[] {
  return withoutToolCalls(items).flatMap((item) => {
    const parts = uiParts(item);
    if (parts === undefined || !parts.some(isUiTool)) return [item];
    const kept = withoutUiTools(parts);
    return kept.every(isStepStart) ? [] : [{ ...item, parts: kept as JsonValue[] }];
  });
}

/** Leaves out the reasoning right before a tool call, too: models refuse it without the call. */
function withoutUiTools(parts: readonly JsonObject[]): JsonObject[] {
  const kept: JsonObject[] = [];
  for (const part of parts) {
    if (!isUiTool(part)) kept.push(part);
    else while (kept.at(-1)?.type === 'reasoning') kept.pop();
  }
  return kept;
}

function isStepStart({ type }: JsonObject): boolean {
  return type === 'step-start';
}
