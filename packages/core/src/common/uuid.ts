/**
 * A new UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits, so that ids sort by creation time to the
 * millisecond. Within a millisecond, their order is random.
 */
export function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // Based on a version 4 UUID, whose random bits are in the right place: platforms cache some, so this is faster than requesting random bytes.
  const random = crypto.randomUUID();
  return [time.slice(0, 8), time.slice(8), `7${random.slice(15)}`].join('-');
}
