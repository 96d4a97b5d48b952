interface Kept {
  readonly metadata: unknown;
  readonly index?: unknown;
  readonly turn?: unknown;
  readonly source?: unknown;
  readonly expiresAt?: string | undefined;
}

/** The fields of a record that stay when a put changes its text: all but its id and content. It expires when it would have. */
export function keptFields<Record extends Kept>(record: Record) {
  const { metadata, index, turn, source, expiresAt }: Pick<Record, keyof Kept> = record;
  const ttlMs = expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - Date.now());
  return { metadata, index, turn, source, ttlMs };
}
