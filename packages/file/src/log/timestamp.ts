let last = 0;

/** Now, as ISO 8601 in UTC with microseconds. Strictly increasing within a process. */
export function timestamp(): string {
  last = Math.max(last + 1, Date.now() * 1000);
  const microseconds = String(last % 1000).padStart(3, '0');
  return new Date(Math.floor(last / 1000)).toISOString().replace('Z', `${microseconds}Z`);
}

/** Allows times before those so far: for tests that put the clock forward and back. */
export function forgetTimes(): void {
  last = 0;
}

/** Whether a text of a log is a time. Another program may have written the log. */
export function isTime(at: string): boolean {
  return !Number.isNaN(Date.parse(at));
}

/** The same time with milliseconds, as in the contracts. */
export function toMilliseconds(at: string): string {
  return new Date(at).toISOString();
}
