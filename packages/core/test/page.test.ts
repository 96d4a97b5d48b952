import { memoryError } from '@keepsake/testing/memory-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageLimit, readCursor, writeCursor } from '../src/adapter.ts';
import { anyText } from './support/any-text.ts';

describe('pageLimit', () => {
  it('is 100 by default, or a number from 1 to 1,000', () => {
    expect(pageLimit(undefined)).toBe(100);
    expect(pageLimit({})).toBe(100);
    expect(pageLimit({ limit: 1 })).toBe(1);
    expect(pageLimit({ limit: 1_000 })).toBe(1_000);
  });

  it.each([0, -1, 1_001, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10' as unknown as number])(
    'refuses %s',
    (limit) => {
      expect(() => pageLimit({ limit })).toThrow(
        memoryError('INVALID_ARGUMENT', 'limit must be a whole number from 1 to 1000.'),
      );
    },
  );
});

describe('cursors', () => {
  const refused = memoryError(
    'INVALID_ARGUMENT',
    'This cursor is not from a list with these options. Start without a cursor.',
  );

  it('can hold a position of a million characters', () => {
    const position = 'é'.repeat(1_000_000);
    expect(readCursor(writeCursor('far', [position]), 'far', ['string'])).toEqual([position]);
  });

  it('return the position where a page ended', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.oneof(anyText(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
        (kind, position) => {
          const cursor = writeCursor(kind, position);
          expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
          const types = position.map((part) => typeof part as 'string' | 'number');
          // JSON has no -0.
          expect(readCursor(cursor, kind, types)).toEqual(position.map((part) => (part === 0 ? 0 : part)));
        },
      ),
    );
  });

  it('are optional', () => {
    expect(readCursor(undefined, 'records', ['number'])).toBeUndefined();
  });

  it('are refused by another kind of list', () => {
    expect(() => readCursor(writeCursor('sessions', [1]), 'records', ['number'])).toThrow(refused);
  });

  it('are refused if they have parts of other types, or too few or too many', () => {
    expect(() => readCursor(writeCursor('records', ['1']), 'records', ['number'])).toThrow(refused);
    expect(() => readCursor(writeCursor('records', [1]), 'records', ['string'])).toThrow(refused);
    expect(() => readCursor(writeCursor('records', []), 'records', ['number'])).toThrow(refused);
    expect(() => readCursor(writeCursor('records', [1, 2]), 'records', ['number'])).toThrow(refused);
    expect(() => readCursor(writeCursor('records', [Number.NaN]), 'records', ['number'])).toThrow(refused);
  });

  it('are refused if they are made up', () => {
    const forged = (json: string) => Buffer.from(json).toString('base64url');
    for (const cursor of [
      '',
      'garbage',
      '!!!!',
      '\0',
      'é',
      "' OR 1=1 --",
      'x'.repeat(100_000),
      forged('"records"'),
      forged('null'),
      forged('{"0":"records","1":1,"length":2}'),
      forged('["records",[1]]'),
      forged('["records",{"$gt":0}]'),
      forged('["records",1e999]'),
      forged('["records",-1e999]'),
      null as unknown as string,
      7 as unknown as string,
    ]) {
      expect(() => readCursor(cursor, 'records', ['number']), JSON.stringify(cursor)).toThrow(refused);
    }
  });

  it('are refused if they are truncated', () => {
    const cursor = writeCursor('records', ['2026-11-21T08:00:00.000Z', 12]);
    for (let length = 0; length < cursor.length; length++) {
      expect(() => readCursor(cursor.slice(0, length), 'records', ['string', 'number']), `${length}`).toThrow(refused);
    }
  });
});
