/** Converts a time of an export (ISO 8601, or seconds since 1970) to ISO 8601; `undefined` if there is none. */
export function isoTime(time: unknown): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  const date = new Date(typeof time === 'number' ? time * 1_000 : time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
