import type { RecordSource } from '../store/record-source.ts';
import type { MemoryRecord } from '../store/record-store.ts';

/** The place of a record in its history. */
export type RecordValidity = Pick<MemoryRecord, 'supersedes' | 'supersededBy' | 'validFrom' | 'validUntil'>;

type RecordValidityInput = { readonly [Field in keyof RecordValidity]: RecordValidity[Field] | undefined };

/** A source as backends store it, with the validity of the record: so they store and filter nothing else for histories. */
export interface StoredSource extends RecordSource, RecordValidity {}

const VALIDITY_FIELDS = [
  'supersedes',
  'supersededBy',
  'validFrom',
  'validUntil',
] as const satisfies (keyof RecordValidity)[];

/** The source of a record after a put: a replacement keeps what the record supersedes, and since when it holds. */
export function revisedSource(
  source: StoredSource | undefined,
  before: StoredSource | undefined,
): StoredSource | undefined {
  const { supersedes, validFrom } = before ?? {};
  if (supersedes === undefined && validFrom === undefined) return source;
  return { ...(supersedes !== undefined && { supersedes }), ...(validFrom !== undefined && { validFrom }), ...source };
}

/** A source with a validity; `undefined` if it would have no fields. */
export function sourceWith(source: StoredSource | undefined, validity: RecordValidityInput): StoredSource | undefined {
  const fields = Object.entries(validity).filter(([, value]) => value !== undefined);
  return fields.length === 0 ? source : { ...source, ...Object.fromEntries(fields) };
}

/** The validity of a stored record. */
export function validityOf({ source }: { readonly source?: StoredSource | undefined }): RecordValidity {
  return source ?? {};
}

/** Moves the validity of a stored record out of its source, where callers of a store do not expect it. */
export function withValidity<Stored extends { readonly source?: RecordSource }>(
  record: Stored,
): Stored & RecordValidity {
  const { source, ...fields } = record;
  if (source === undefined || !VALIDITY_FIELDS.some((field) => Object.hasOwn(source, field))) return record;
  const { supersedes, supersededBy, validFrom, validUntil, ...said } = source as StoredSource;
  return {
    ...fields,
    ...(Object.keys(said).length > 0 && { source: said }),
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(validFrom !== undefined && { validFrom }),
    ...(validUntil !== undefined && { validUntil }),
  } as Stored & RecordValidity;
}
