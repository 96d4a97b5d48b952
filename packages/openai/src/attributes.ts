import { formatNamespace, type JsonObject, MemoryError, type Namespace } from '@keepsake/core';
import type { Attributes } from './openai-client.ts';

/** What every memory carries besides its metadata. */
export const OWN = {
  namespace: 'keepsake_namespace',
  id: 'keepsake_id',
  /** Milliseconds since 1970. */
  createdAt: 'keepsake_created_at',
  /** Of the content, in UTF-16 code units: tells a part of it from the whole. */
  length: 'keepsake_length',
} as const;

const MAX_METADATA = 16 - Object.keys(OWN).length;
const MAX_KEY = 64;
const MAX_TEXT = 512;

/**
 * A namespace as the value of an attribute. Two namespaces have one value only if they are the same.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for the root, which would be everybody's, and for what is over 512 characters.
 */
export function scopeOf(namespace: Namespace): string {
  const scope = formatNamespace(namespace);
  if (scope === '') throw invalid("namespace is to name whose memories these are, such as ['user', 'alice'].");
  if (scope.length > MAX_TEXT)
    throw invalid(`namespace is to have at most ${MAX_TEXT} characters when it is formatted.`);
  return scope;
}

/**
 * Metadata as attributes.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what the API does not take: more than 12 fields, names over 64 characters, and
 *   values that are no text of up to 512 characters, number or boolean.
 */
export function toAttributes(metadata: JsonObject): Attributes {
  const fields = Object.entries(metadata);
  if (fields.length > MAX_METADATA) throw invalid(`metadata is to have at most ${MAX_METADATA} fields.`);
  for (const [name, value] of fields) {
    if (name.length > MAX_KEY || name === '' || isOwn(name)) {
      throw invalid(`Names in metadata are to have 1 to ${MAX_KEY} characters, and not to begin with keepsake_.`);
    }
    const fits =
      typeof value === 'string' ? value.length <= MAX_TEXT && value.isWellFormed() : typeof value !== 'object';
    if (!fits)
      throw invalid(`Values in metadata are to be texts of up to ${MAX_TEXT} characters, numbers or booleans.`);
  }
  return Object.fromEntries(fields) as Attributes;
}

/** The metadata in attributes. */
export function toMetadata(attributes: Readonly<Attributes>): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !isOwn(name)));
}

/** Whether an attribute is one of ours, now or in a later version. */
export function isOwn(name: string): boolean {
  return name.startsWith('keepsake_');
}

function invalid(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
