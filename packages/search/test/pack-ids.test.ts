import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PackedIds, packIds, unpackIds } from '../src/snapshot/pack-ids.ts';
import { finish } from '../src/snapshot/steps.ts';
import { usable } from './mangle.ts';

function sizeOf(packed: PackedIds): number {
  return Object.values(packed).reduce((sum, bytes) => sum + bytes.length, 0);
}

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `message-${Buffer.from(bytes).toString('hex')}`);
const id = fc.oneof(
  fc.uuid(),
  hash,
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9a-g\0-]{0,12}$/),
  fc.string({ unit: fc.constantFrom('0', 'f', 'F', 'g', '\0', 'é', '\ud800') }),
);

describe('ids', () => {
  it('are restored unchanged, in order', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 60 }), (ids) => {
        const packed = finish(packIds(ids));
        expect(finish(unpackIds((name) => packed[name]))).toEqual(ids);
      }),
      { numRuns: 500 },
    );
  });

  it('are refused if digits or ids are missing', () => {
    const packed = finish(packIds(['note-00ff', 'note-00fe', 'a note', 'another']));
    const unpack = (other: Partial<PackedIds>) =>
      usable(() => finish(unpackIds((name) => other[name] ?? packed[name])));
    const { idDigits, idPatternOf } = packed;
    expect(unpack({})).toEqual(['note-00ff', 'note-00fe', 'a note', 'another']);
    expect(unpack({ idDigits: idDigits.subarray(1) })).toBeUndefined();
    expect(unpack({ idDigits: Uint8Array.of(...idDigits, 0) })).toBeUndefined();
    expect(unpack({ idPatternOf: idPatternOf.subarray(0, -1) })).toBeUndefined();
    expect(unpack({ idPatternOf: Uint8Array.of(...idPatternOf, 0) })).toBeUndefined();
    expect(unpack({ idPatternOf: Uint8Array.of(...idPatternOf, 2) })).toBeUndefined();
  });

  it('take little more space than the bytes of their hex digits', () => {
    const uuids = fc.sample(fc.uuid(), { numRuns: 1000, seed: 1 });
    const hashes = fc.sample(hash, { numRuns: 1000, seed: 1 });
    expect(sizeOf(finish(packIds(uuids)))).toBeLessThan(1000 * 17 + 500);
    expect(sizeOf(finish(packIds(hashes)))).toBeLessThan(1000 * 33 + 500);
  });
});
