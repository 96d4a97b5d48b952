import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLines, encodeLine, type LogPiece, TORN } from '../src/log/log-line.ts';

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value }));
const TEXTS = ['{"a":1}', '{"text":"ä€💡\\n"}', '{"b":[1,2,3]}'];
const LOG = Buffer.from(TEXTS.map(encodeLine).join(''));
const texts = (pieces: readonly LogPiece[]) => pieces.map((piece) => piece.json);

/** Reads as the log does: one chunk at a time, with the rest of the previous one. */
function cutInChunks(bytes: Buffer, ends: readonly number[]): { pieces: LogPiece[]; rest: number } {
  const pieces: LogPiece[] = [];
  let rest = Buffer.alloc(0);
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    const cut = cutLines(Buffer.concat([rest, bytes.subarray(from, end)]), from - rest.length);
    pieces.push(...cut.pieces);
    rest = bytes.subarray(end - cut.rest, end) as Buffer<ArrayBuffer>;
    from = end;
  }
  return { pieces, rest: rest.length };
}

describe('a line of a log', () => {
  it('consists of a checksum, a length in bytes, and JSON', () => {
    expect(encodeLine('{"a":"ä"}')).toBe(`${crc32('{"a":"ä"}').toString(16).padStart(8, '0')} 10 {"a":"ä"}\n`);
    // Checksums keep their leading zeros.
    const number = Array.from({ length: 1000 }, (_, n) => n).find((n) => crc32(`{"n":${n}}`) < 0x01000000) as number;
    expect(encodeLine(`{"n":${number}}`)).toMatch(/^0[0-9a-f]{7} /);
    expect(texts(cutLines(Buffer.from(encodeLine(`{"n":${number}}`)), 0).pieces)).toEqual([`{"n":${number}}`]);
  });

  it('is read back unchanged, whatever its JSON and wherever chunks end', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), fc.array(fc.nat(400), { maxLength: 5 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map(encodeLine).join(''));
        const ends = cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
        const { pieces, rest } = cutInChunks(bytes, ends);
        expect(texts(pieces)).toEqual(lines);
        expect(rest).toBe(0);
        let offset = 0;
        for (const piece of pieces) {
          expect(piece.offset).toBe(offset);
          offset = piece.end;
        }
        expect(offset).toBe(bytes.length);
      }),
      { numRuns: 200 },
    );
  });

  it('does not count before its last byte is written', () => {
    const ends = TEXTS.map((_, n) =>
      Buffer.byteLength(
        TEXTS.slice(0, n + 1)
          .map(encodeLine)
          .join(''),
      ),
    );
    for (let length = 0; length <= LOG.length; length++) {
      const whole = ends.filter((end) => end <= length);
      const { pieces, rest } = cutLines(LOG.subarray(0, length), 0);
      expect(texts(pieces)).toEqual(TEXTS.slice(0, whole.length));
      expect(rest).toBe(length - (whole.at(-1) ?? 0));
    }
  });

  it('that is torn at any byte never counts after it is closed, however often', () => {
    const line = Buffer.from(encodeLine('{"text":"ä€💡"}'));
    for (let length = 1; length < line.length; length++) {
      for (const closing of [TORN, `#${TORN}`, `#to${TORN}`, TORN + TORN]) {
        const bytes = Buffer.concat([LOG, line.subarray(0, length), Buffer.from(closing), LOG]);
        expect(texts(cutLines(bytes, 0).pieces)).toEqual([...TEXTS, ...TEXTS]);
      }
    }
  });

  it('with one flipped bit is reported as damaged, and all others are read', () => {
    const starts = [
      0,
      ...TEXTS.map((_, n) =>
        Buffer.byteLength(
          TEXTS.slice(0, n + 1)
            .map(encodeLine)
            .join(''),
        ),
      ),
    ];
    for (let bit = 0; bit < LOG.length * 8; bit++) {
      const bytes = Buffer.from(LOG);
      const byte = bit >> 3;
      bytes[byte] = (bytes[byte] as number) ^ (1 << (bit & 7));
      const hit = starts.findIndex((start, n) => byte >= start && byte < (starts[n + 1] as number));
      const { pieces, rest } = cutLines(bytes, 0);
      expect(rest).toBe(0);
      const sound = texts(pieces).filter((text) => text !== undefined);
      const isLineFeed = byte === (starts[hit + 1] as number) - 1;
      expect(sound).toEqual(isLineFeed ? TEXTS : TEXTS.filter((_, n) => n !== hit));
      // No damage goes unnoticed.
      if (!isLineFeed) expect(pieces.some((piece) => piece.json === undefined)).toBe(true);
    }
  });

  it('is found after any garbage that ends in a line feed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (garbage) => {
        const before = Buffer.concat([
          Buffer.from(garbage).map((byte) => (byte === 0x0a ? 0 : byte)),
          Buffer.from('\n'),
        ]);
        const { pieces, rest } = cutLines(Buffer.concat([before, LOG]), 0);
        expect(texts(pieces).filter((text) => text !== undefined)).toEqual(TEXTS);
        expect(rest).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('that claims to be longer than the log is damaged, and the next one is read', () => {
    const bytes = Buffer.from(`00000000 9999999999 {}\n${encodeLine('{"a":1}')}`);
    expect(texts(cutLines(bytes, 0).pieces)).toEqual([undefined, '{"a":1}']);
  });
});
