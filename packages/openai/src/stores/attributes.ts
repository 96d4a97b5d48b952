import { formatNamespace, type JsonObject, MemoryError, type Namespace } from '@keepsake/core';
import type { Attributes } from '../api/openai-client.ts';

/** The attributes that every memory has besides its metadata. */
export const OWN = {
  namespace: 'keepsake_namespace',
  id: 'keepsake_id',
  /** Milliseconds since 1970. */
  createdAt: 'keepsake_created_at',
  /** Length of the content in UTF-16 code units, to tell one chunk from the whole content. */
  length: 'keepsake_length',
} as const;

const MAX_METADATA = 16 - Object.keys(OWN).length;
const MAX_KEY = 64;
const MAX_TEXT = 512;

/**
 * Formats a namespace as an attribute value. Different namespaces have different values.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for the root, which all tenants would share, and for values over 512 characters.
 */
export function scopeOf(namespace: Namespace): string {
  const scope = formatNamespace(namespace);
  if (scope === '')
    throw invalid("`namespace` must not be the root. Pass at least one segment, such as ['u', 'alice'].");
  if (scope.length > MAX_TEXT) throw invalid(`\`namespace\` must have at most ${MAX_TEXT} characters when formatted.`);
  return scope;
}

/**
 * Converts metadata to attributes.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for metadata that the API does not accept: more than 12 fields, names over 64
 *   characters, and values other than numbers, booleans and strings of up to 512 characters.
 */
export function toAttributes(metadata: JsonObject): Attributes {
  const fields = Object.entries(metadata);
  if (fields.length > MAX_METADATA)
    throw invalid(`\`metadata\` must have at most ${MAX_METADATA} fields, got ${fields.length}.`);
  for (const [name, value] of fields) {
    if (name.length > MAX_KEY || name === '' || isOwn(name)) {
      throw invalid(`\`metadata\` names must have 1 to ${MAX_KEY} characters and must not start with keepsake_.`);
    }
    const fits =
      typeof value === 'string' ? value.length <= MAX_TEXT && value.isWellFormed() : typeof value !== 'object';
    if (!fits)
      throw invalid(`\`metadata\` values must be strings of up to ${MAX_TEXT} characters, numbers or booleans.`);
  }
  return Object.fromEntries(fields) as Attributes;
}

/** Converts attributes back to metadata. */
export function toMetadata(attributes: Readonly<Attributes>): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !isOwn(name)));
}

/** Whether the attribute name is reserved for Keepsake, in this version or a later one. */
export function isOwn(name: string): boolean {
  return name.startsWith('keepsake_');
}

function invalid(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
