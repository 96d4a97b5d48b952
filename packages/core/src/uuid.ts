/**
 * A new UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits, so that ids sort by their time of
 * making to the millisecond. Ids made within one millisecond come in any order.
 */
export function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // A version 4, whose random bits stand where they are to be. Platforms keep some in store, so that it takes far less
  // than asking for the bits of one.
  const random = crypto.randomUUID();
  return [time.slice(0, 8), time.slice(8), `7${random.slice(15)}`].join('-');
}
