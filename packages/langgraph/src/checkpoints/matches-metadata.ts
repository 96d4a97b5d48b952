/** The fields that metadata must have, and their values. */
export type MetadataFilter = readonly (readonly [field: string, value: unknown])[];

/** Whether each field of a filter is equal to that of a checkpoint's metadata. */
export function matchesMetadata(metadata: unknown, filter: MetadataFilter): boolean {
  return filter.every(([field, value]) => isRecord(metadata) && isSame(metadata[field], value));
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const fields = Object.keys(a);
  return (
    fields.length === Object.keys(b).length &&
    fields.every((field) => Object.hasOwn(b, field) && isSame(a[field], b[field]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
