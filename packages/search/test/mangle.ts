/** Every beginning of the bytes. */
export function* truncated(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let end = 0; end < bytes.length; end++) yield bytes.subarray(0, end);
}

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0x7f, 0x80, 0xff];

/** The bytes with one of them changed, each in turn and each in several ways. */
export function* mangled(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place] as number;
    const flipped = Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit));
    for (const other of new Set([...EDGES, ...flipped])) {
      if (other === byte) continue;
      const copy = bytes.slice();
      copy[place] = other;
      yield copy;
    }
  }
}

/** The bytes with their first number as a machine of the other byte order writes it. */
export function ofOtherByteOrder(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy.subarray(0, 4).reverse();
  return copy;
}
