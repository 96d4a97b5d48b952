import { describe, expect, it } from 'vitest';
import { readValues } from '../src/import/json/read-values.ts';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string, size: number) {
  const values = [];
  for await (const value of readValues(inChunks(Buffer.from(text), size))) values.push(value);
  return values;
}

const separators = 'a\u2028b\u2029c\u0085d é 💡';

describe('values do not depend on how the bytes are split', () => {
  it.each([1, 2, 3, 7, 1_000])('in chunks of %i', async (size) => {
    expect(await read(`\ufeff\n{"a":"${separators}"}\r\n\n  {"b":[1]}\n{"c":null}`, size)).toEqual([
      { value: { a: separators }, place: 'line 2' },
      { value: { b: [1] }, place: 'line 4' },
      { value: { c: null }, place: 'line 5' },
    ]);
    expect(await read(`\ufeff \n[ {"a":"${separators}"},\n{"b":[1]} ]\n`, size)).toEqual([
      { value: { a: separators }, place: 'item 1' },
      { value: { b: [1] }, place: 'item 2' },
    ]);
    expect(await read(`{\n  "a": "${separators}",\n  "b": [1]\n}\n`, size)).toEqual([
      { value: { a: separators, b: [1] }, place: 'the file' },
    ]);
  });

  it('blank lines before the first value are read once, in any number of chunks', async () => {
    const lines = 200_000;
    expect(await read(`${'\n'.repeat(lines)}{"a":1}`, 16)).toEqual([{ value: { a: 1 }, place: `line ${lines + 1}` }]);
    expect(await read(`${' \n'.repeat(lines / 2)}[{"a":1}]`, 16)).toEqual([{ value: { a: 1 }, place: 'item 1' }]);
  });

  it('values before the first broken one are returned', async () => {
    for (const [text, place] of [
      ['{"a":1}x\n{"b":1}', 'line 1 is not JSON'],
      ['[{"a":1},\n{"b":]', 'The input after item 1 is not JSON'],
      ['[{"a":1}] x', 'The input after item 1 is not JSON'],
    ] as const) {
      const values: unknown[] = [];
      const reading = (async () => {
        for await (const { value } of readValues(inChunks(Buffer.from(text), 4))) values.push(value);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'INPUT', message: expect.stringContaining(place) });
      expect(values).toHaveLength(1);
    }
  });
});
