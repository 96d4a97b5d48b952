let last = 0;

/** Now, as ISO 8601 in UTC with microseconds; later than any before in this process, so that times of one process order. */
export function timestamp(): string {
  last = Math.max(last + 1, Date.now() * 1000);
  const microseconds = String(last % 1000).padStart(3, '0');
  return new Date(Math.floor(last / 1000)).toISOString().replace('Z', `${microseconds}Z`);
}

/** The same time in milliseconds, as the contracts have it. */
export function toMilliseconds(at: string): string {
  return new Date(at).toISOString();
}
