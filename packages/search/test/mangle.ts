/** Every beginning of the bytes. */
export function* truncated(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let end = 0; end < bytes.length; end++) yield bytes.subarray(0, end);
}

/** The bytes with one of them changed, each in turn and each in several ways. */
export function* mangled(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place] as number;
    for (const other of new Set([0, 1, 0x7f, 0xff, byte ^ 0x80, byte + 1, byte - 1])) {
      if ((other & 0xff) === byte) continue;
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
