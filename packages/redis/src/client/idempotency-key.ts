import { randomBytes } from 'node:crypto';

const KEY_BYTES = 12;

/** Random bytes for the next keys: a few at a time cost as much as thousands together. */
let prepared = Buffer.alloc(0);

/** A key that no other change has. A client can send a command again after a broken connection: then Redis knows it by its key. */
export function newIdempotencyKey(): Buffer {
  if (prepared.length === 0) prepared = randomBytes(1_024 * KEY_BYTES);
  const key = prepared.subarray(0, KEY_BYTES);
  prepared = prepared.subarray(KEY_BYTES);
  return key;
}
