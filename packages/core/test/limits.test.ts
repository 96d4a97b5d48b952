import { memoryError } from '@keepsake/testing/memory-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLongerThan, LIMITS } from '../src/common/limits.ts';
import { encodeItem, encodeItems } from '../src/session/session-items.ts';
import { checkContent, copyMetadata, prepareRecords } from '../src/store/record-input.ts';
import { anyText } from './support/any-text.ts';

const MiB = 1024 * 1024;

describe('limits', () => {
  it('match the documentation', () => {
    expect(LIMITS).toEqual({
      ...{ contentBytes: MiB, metadataBytes: 64 * 1024, itemBytes: 16 * MiB },
      ...{ batchRecords: 10_000, batchBytes: 128 * MiB },
    });
  });

  it('of a batch count its records, and the bytes of all contents', () => {
    const many = Array.from({ length: LIMITS.batchRecords }, () => ({ content: 'tea' }));
    expect(prepareRecords(many)).toHaveLength(LIMITS.batchRecords);
    expect(() => prepareRecords([...many, { content: 'tea' }])).toThrow(memoryError('TOO_LARGE', /several batches/));
    const large = { content: 'é'.repeat(MiB / 2) };
    expect(prepareRecords(Array.from({ length: 128 }, () => large))).toHaveLength(128);
    expect(() => prepareRecords([...Array.from({ length: 128 }, () => large), { content: 'tea' }])).toThrow(
      memoryError('TOO_LARGE', /several batches/),
    );
  });

  it('are counted in bytes of UTF-8', () => {
    fc.assert(
      fc.property(anyText(30), fc.integer({ min: -3, max: 3 }), (text, off) => {
        const bytes = Buffer.byteLength(text);
        expect(isLongerThan(text, bytes + off)).toBe(off < 0);
      }),
    );
    expect(isLongerThan('\ud800', 2)).toBe(true);
    expect(isLongerThan('\ud800', 3)).toBe(false);
  });

  it.each([
    ['one byte', 'a', MiB],
    ['two bytes', 'é', MiB / 2],
    ['four bytes', '😀', MiB / 4],
  ])('allow 1 MiB of content, and not a byte more, in characters of %s', (_name, character, count) => {
    const full = character.repeat(count);
    expect(checkContent(full, 'content')).toBe(full);
    expect(() => checkContent(`${full}a`, 'content')).toThrow(
      memoryError('TOO_LARGE', 'content is over 1 MiB. Split it, or keep a reference to it.'),
    );
  });

  it('allow 64 KiB of metadata as JSON, and not a byte more', () => {
    const text = 'x'.repeat(64 * 1024 - '{"a":""}'.length);
    expect(copyMetadata({ a: text }, 'metadata')).toEqual({ a: text });
    const refused = memoryError('TOO_LARGE', 'metadata is over 64 KiB as JSON. Move long values to the content.');
    expect(() => copyMetadata({ a: `${text}x` }, 'metadata')).toThrow(refused);
    // The limit counts JSON, where a NUL takes six bytes.
    expect(() => copyMetadata({ a: '\0'.repeat(12_000) }, 'metadata')).toThrow(refused);
  });

  it('allow items of 16 MiB as JSON, and not a byte more', () => {
    const text = 'x'.repeat(16 * MiB - '{"a":""}'.length);
    expect(encodeItem({ a: text }, 'item')).toHaveLength(16 * MiB);
    expect(() => encodeItems([{ a: 1 }, { a: `${text}x` }])).toThrow(
      memoryError('TOO_LARGE', 'items[1] is over 16 MiB as JSON. Store it elsewhere and keep a reference.'),
    );
  });
});
