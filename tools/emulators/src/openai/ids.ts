import { randomBytes } from 'node:crypto';

/** Returns a new id, such as `conv_6b0f…`. */
export function freshId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`;
}

/** The current time as the API returns it: seconds since 1970. */
export function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}
