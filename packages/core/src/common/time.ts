import type { Check } from './check-fields.ts';
import { expect } from './expect.ts';

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

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Checks a time of a record and returns it in the format of records. */
export function checkTime(time: unknown, what: string): string | undefined {
  if (time === undefined) return undefined;
  const iso = isoTime(time, ISO_TIME);
  expect(iso, `${what} must be ISO 8601 with a zone, such as '2026-11-21T08:00:00Z'.`);
  return iso;
}

/** A time zone that this runtime knows. */
export const TIME_ZONE: Check = [isTimeZone, "a time zone, such as 'Europe/Lisbon'"];

function isTimeZone(value: unknown): boolean {
  try {
    return typeof value === 'string' && new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
}
