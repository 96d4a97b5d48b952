/**
 * A time as records have it (ISO 8601 with milliseconds, in UTC, years 0 to 9999), or `undefined` for text that does not
 * match `pattern` or is not a valid time. `Date` alone would read the 30th of February as the 2nd of March.
 */
export function isoTime(text: unknown, pattern: RegExp): string | undefined {
  if (typeof text !== 'string' || !pattern.test(text)) return undefined;
  const time = new Date(text);
  const day = new Date(text.slice(0, 10));
  if (Number.isNaN(time.getTime()) || day.getUTCMonth() + 1 !== Number(text.slice(5, 7))) return undefined;
  const iso = time.toISOString();
  return iso.length === '2026-11-21T08:00:00.000Z'.length ? iso : undefined;
}
