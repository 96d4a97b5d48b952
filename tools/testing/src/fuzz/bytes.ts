import type { Random } from './random.ts';

/** Changes bytes at a few places: flips bits, writes over, removes, copies and cuts. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let mutated = Buffer.from(bytes);
  for (let changes = 1 + random.whole(4); changes > 0; changes--) mutated = changed(random, mutated);
  return mutated;
}

function changed(random: Random, bytes: Buffer): Buffer<ArrayBuffer> {
  const at = random.whole(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.whole(random.chance(0.2) ? bytes.length + 1 : 16));
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (random.whole(6)) {
    case 0:
      return Buffer.concat([before, piece.map((byte) => byte ^ (1 << random.whole(8))), after]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, piece, piece, after]);
    case 3:
      return Buffer.from(before);
    case 4:
      return Buffer.concat([before, piece.fill(random.pick([0, 1, 0x0a, 0x7f, 0x80, 0xff])), after]);
    default:
      return Buffer.concat([before, Buffer.from(Array.from({ length: 8 }, () => random.whole(256))), after]);
  }
}
