/** A time of an export (ISO 8601, or seconds since 1970) as ISO 8601; `undefined` where there is none. */
export function isoTime(time: unknown): string | undefined {
  if (typeof time !== 'string' && typeof time !== 'number') return undefined;
  const date = new Date(typeof time === 'number' ? time * 1_000 : time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
