import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberReader, NumberWriter } from '../src/snapshot/numbers.ts';
import { RowReader, RowWriter } from '../src/snapshot/rows.ts';
import { usable } from './mangle.ts';

const EDGES = [0, 1, 2 ** 7, 2 ** 14, 2 ** 21, 2 ** 28, 2 ** 31, 2 ** 32, 2 ** 35, 2 ** 49, 2 ** 53 - 1];
const anyNumber = fc.oneof(
  fc.maxSafeNat(),
  fc.constantFrom(...EDGES),
  fc.constantFrom(...EDGES).map((n) => Math.max(0, n - 1)),
);

describe('numbers', () => {
  it('are restored unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyNumber), (numbers) => {
        const writer = new NumberWriter();
        for (const number of numbers) writer.write(number);
        const reader = new NumberReader(writer.bytes);
        expect(numbers.map(() => reader.read())).toEqual(numbers);
        expect(reader.atEnd).toBe(true);
      }),
    );
  });

  it('are read from any bytes as whole numbers, or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const reader = new NumberReader(bytes);
        const number = usable(() => reader.read());
        expect(number === undefined || (Number.isInteger(number) && number >= 0)).toBe(true);
      }),
    );
    expect(usable(() => new NumberReader(Uint8Array.of(0x80)).read())).toBeUndefined();
    expect(usable(() => new NumberReader(new Uint8Array(9).fill(0x80)).read())).toBeUndefined();
  });
});

describe('rows', () => {
  const cell = fc.integer({ min: -(2 ** 51) + 1, max: 2 ** 51 - 1 });

  it('are restored unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, fc.integer(), cell)), (rows) => {
        const writer = new RowWriter();
        for (const row of rows) writer.write(row);
        const reader = new RowReader(writer.bytes, 3);
        expect(rows.map(() => [...reader.read()])).toEqual(rows);
        expect(reader.atEnd).toBe(true);
      }),
    );
  });

  it('are refused if they exceed the writable range', () => {
    const writer = new NumberWriter();
    for (let row = 0; row < 2; row++) writer.write(2 * (2 ** 51 - 1));
    const reader = new RowReader(writer.bytes, 1);
    expect(reader.read()).toEqual([2 ** 51 - 1]);
    expect(usable(() => reader.read())).toBeUndefined();
  });
});
