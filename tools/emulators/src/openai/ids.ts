import { randomBytes } from 'node:crypto';

/** A fresh id, such as `conv_6b0f…`. */
export function freshId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`;
}

/** The time as the API gives it: seconds since 1970. */
export function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}
