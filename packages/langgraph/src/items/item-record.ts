import { type JsonObject, type MemoryEntry, MemoryError, type MemoryRecord, type RecordInput } from '@keepsake/core';
import { cloneJson, expect, LIMITS } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { SearchItem } from '@langchain/langgraph-checkpoint';
import { textsAt } from './text-paths.ts';

/** How a record holds an item. */
interface Mark {
  /** The fields of the value are the metadata, beside the mark; or the content is the value as JSON, because it is large. */
  readonly value: 'metadata' | 'content';
  /** The lifetime that a read can start again. */
  readonly ttlMs?: number;
  /** When the value last changed, if starting its lifetime again has changed the record since. */
  readonly updatedAt?: string;
}

/** The field of the metadata with the {@link Mark}. Records without it were not written by LangGraph. */
const MARK = '$langgraph';

/** Longer values are stored in the content. The rest of the metadata is for the mark. */
const MAX_METADATA = LIMITS.metadataBytes - 256;

/** As many UTF-16 units as always fit the content. */
const MAX_TEXT_LENGTH = Math.floor(LIMITS.contentBytes / 3);

/**
 * An item as a record, which shares nothing with the value. `what` is the path of the value; `fields` are the paths of what
 * search finds, `false` for nothing.
 */
export function toRecord(
  id: string,
  item: unknown,
  what: string,
  fields: readonly string[] | false,
  ttlMs: number | undefined,
): RecordInput {
  expect(isObject(item), `\`${what}\` must be an object, or \`null\` to delete the item.`);
  const value = cloneJson(item, what) as JsonObject;
  const json = JSON.stringify(value);
  const bytes = new TextEncoder().encode(json).length;
  if (bytes > LIMITS.contentBytes) {
    throw new MemoryError('TOO_LARGE', `\`${what}\` is over 1 MiB of JSON. Split it, or store a reference to it.`);
  }
  const lifetime = ttlMs === undefined ? {} : { ttlMs };
  if (bytes > MAX_METADATA || Object.hasOwn(value, MARK)) {
    const mark: Mark = { value: 'content', ...lifetime };
    return { id, content: json, metadata: { [MARK]: { ...mark } }, index: fields !== false, ...lifetime };
  }
  const mark: Mark = { value: 'metadata', ...lifetime };
  const text = (fields || [])
    .flatMap((path) => textsAt(value, path))
    .join('\n')
    .slice(0, MAX_TEXT_LENGTH);
  const hasText = text.trim() !== '';
  return {
    ...{ id, content: hasText ? text : json, index: hasText, ...lifetime },
    metadata: { ...value, [MARK]: { ...mark } },
  };
}

/** The item of a record. That of a record from elsewhere is its metadata, with the text as `content`. */
export function toItem(
  namespace: readonly string[],
  { id = '', content, metadata = {}, createdAt = '', updatedAt = '', score }: Partial<MemoryRecord> & MemoryEntry,
): SearchItem {
  const mark = markOf(metadata);
  return {
    value: readValue(mark, metadata, content),
    ...{ key: id, namespace: [...namespace], createdAt: new Date(createdAt) },
    updatedAt: new Date(mark?.updatedAt ?? updatedAt),
    ...(score === undefined ? {} : { score }),
  };
}

/** Whether the item has a lifetime that a read can start again. */
export function hasLifetime({ metadata = {} }: { readonly metadata?: JsonObject }): boolean {
  return markOf(metadata)?.ttlMs !== undefined;
}

/** The same record with its lifetime from now, or `undefined` if it has none. */
export function withLifetimeFromNow(record: MemoryRecord): RecordInput | undefined {
  const { id, content, metadata, updatedAt, index } = record;
  const mark = markOf(metadata);
  if (mark?.ttlMs === undefined) return undefined;
  const { ttlMs } = mark;
  return { id, content, index, ttlMs, metadata: { ...metadata, [MARK]: { updatedAt, ...mark } } };
}

function markOf(metadata: JsonObject): Mark | undefined {
  return Object.hasOwn(metadata, MARK) ? (metadata[MARK] as unknown as Mark) : undefined;
}

function readValue(mark: Mark | undefined, metadata: JsonObject, content: string): JsonObject {
  if (mark?.value === 'content') return JSON.parse(content) as JsonObject;
  const { [MARK]: _, ...value } = metadata;
  return mark === undefined ? { ...value, content } : value;
}
