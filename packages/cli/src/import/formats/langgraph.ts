import type { JsonObject, JsonValue } from '@keepsake/core';
import { checkNamespace, cloneJson, LIMITS } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { brokenInput } from '../broken-input.ts';
import type { Format } from './format.ts';
import { isoTime } from './iso-time.ts';

/** The field of the metadata by which `KeepsakeStore` of `@keepsake/langgraph` knows its items. */
const MARK = '$langgraph';
/** Room for the mark. */
const MARK_BYTES = 256;

/** Items of a LangGraph store, as its `search` returns them. `KeepsakeStore` reads them under the same namespace and key. */
export const langgraph: Format = {
  name: 'langgraph',
  matches: ({ namespace, key, value }) => Array.isArray(namespace) && typeof key === 'string' && value !== undefined,
  *read({ namespace, key, value, ...times }, place) {
    const createdAt = isoTime(times.createdAt ?? times.created_at);
    const item = checked(place, () => ({
      namespace: checkNamespace(namespace as string[]),
      value: cloneJson(value, 'value') as JsonObject,
    }));
    if (!isObject(item.value)) throw brokenInput(`${place}: the value of an item must be an object.`);
    const record = { id: key as string, ...contentOf(item.value), ...(createdAt === undefined ? {} : { createdAt }) };
    yield { place, namespace: item.namespace, record };
  },
};

function checked<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw brokenInput(`${place}: ${(error as Error).message}`, error);
  }
}

function contentOf(value: JsonObject) {
  const json = JSON.stringify(value);
  const isLarge = Buffer.byteLength(json) > LIMITS.metadataBytes - MARK_BYTES;
  if (isLarge || Object.hasOwn(value, MARK)) return { content: json, metadata: { [MARK]: { value: 'content' } } };
  const text = textsIn(value).join('\n');
  const hasText = text.trim() !== '';
  return {
    content: hasText ? text : json,
    metadata: { ...value, [MARK]: { value: 'metadata' } },
    index: hasText,
  };
}

/** All texts of a value, whose depth was checked. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((part) => textsIn(part)) : [];
}
