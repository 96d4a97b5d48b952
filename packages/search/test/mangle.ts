import { finish } from '@keepsake/internal';
import { step } from '@keepsake/testing/share';
import { ifUsable } from '../src/snapshot/snapshot.ts';

/** Every shorter prefix of the bytes. */
export function* truncated(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let end = 0; end < bytes.length; end++) yield bytes.subarray(0, end);
}

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0x7f, 0x80, 0xff];

/** By day, every tenth change is tried. Each byte can be changed in at least 13 ways, so that each is changed in at least one. */
const STEP = step(10);

/** Copies with one byte changed: each byte in turn, in several ways. */
export function* mangled(bytes: Uint8Array): Iterable<Uint8Array> {
  let changes = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    const flipped = Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit));
    for (const other of new Set([...EDGES, ...flipped])) {
      if (other === byte || changes++ % STEP !== 0) continue;
      const copy = bytes.slice();
      copy[index] = other;
      yield copy;
    }
  }
}

/** A copy whose first number has the other byte order. */
export function ofOtherByteOrder(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy.subarray(0, 4).reverse();
  return copy;
}

/** The result of `read`, or `undefined` if it refuses its snapshot. */
export function usable<T>(read: () => T): T | undefined {
  return finish(
    ifUsable(
      // biome-ignore lint/correctness/useYield: it is a single step.
      (function* () {
        return read();
      })(),
    ),
  );
}
