import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packedPrefixes, packId, unpackId } from '../src/stores/pack-id.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const id = fc.oneof(
  fc.tuple(...[8, 4, 4, 4, 12].map(hex)).map((groups) => groups.join('-')),
  fc.tuple(fc.constantFrom('content-', 'message-', 'Content-'), hex(64)).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('content-', 'message-', ''), hex(5)).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !text.includes('\0')),
);

describe('packedPrefixes', () => {
  it('returns byte prefixes that match exactly the packed ids that start with the prefix', () => {
    fc.assert(
      fc.property(id, id, fc.nat(80), (one, other, length) => {
        const prefix = Array.from(other)
          .slice(0, 1 + length)
          .join('');
        for (const candidate of [one, other]) {
          const packed = packId(candidate);
          expect(unpackId(packed)).toBe(candidate);
          const begins = packedPrefixes(prefix).some((start) => packed.subarray(0, start.length).equals(start));
          expect(begins, `${prefix} of ${candidate}`).toBe(candidate.startsWith(prefix));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns 16 prefixes for half a byte of hex, and one for each other meaning of the text', () => {
    expect(packedPrefixes('0').length).toBe(1 + 16);
    expect(packedPrefixes('01').length).toBe(1 + 1);
    expect(packedPrefixes('c').length).toBe(1 + 1 + 16);
    expect(packedPrefixes('content-')).toEqual([Buffer.from('content-'), Buffer.of(0, 1)]);
    expect(packedPrefixes('note:')).toEqual([Buffer.from('note:')]);
  });
});
