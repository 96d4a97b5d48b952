import { MemoryError } from '@keepsake/core';

let last = 0;

/** Now, as ISO 8601 in UTC with microseconds. Strictly increasing within a process. */
export function timestamp(): string {
  last = Math.max(last + 1, Date.now() * 1000);
  const microseconds = String(last % 1000).padStart(3, '0');
  return new Date(Math.floor(last / 1000)).toISOString().replace('Z', `${microseconds}Z`);
}

/** The same time with milliseconds, as in the contracts. @throws MemoryError `CORRUPT` if a log has no time there. */
export function toMilliseconds(at: string): string {
  const date = new Date(at);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new MemoryError('CORRUPT', 'A log has a line without a valid time. Restore a backup.');
}
