import type { StoredRecord } from '@keepsake/search';
import { describe, expect, it } from 'vitest';
import { RecordCache } from '../src/stores/record-cache.ts';

const MIB = 1024 * 1024;

/** A cache, and the offsets of lines of 1 MiB that had to be read. */
function emptyCache() {
  const cache = new RecordCache();
  const read: number[] = [];
  const get = (offset: number) =>
    cache.get({ offset, end: offset + MIB }, () => {
      read.push(offset);
      return { id: `${offset}` } as StoredRecord;
    });
  return { cache, read, get };
}

describe('The cache of records', () => {
  it('keeps the last 8 MiB of lines or more, and no more than 16', () => {
    const { read, get } = emptyCache();
    for (let line = 0; line < 100; line++) get(line * MIB);
    expect(read).toHaveLength(100);
    for (let line = 92; line < 100; line++) expect(get(line * MIB).id).toBe(`${line * MIB}`);
    expect(read).toHaveLength(100);
    for (let line = 83; line >= 0; line--) get(line * MIB);
    expect(read).toHaveLength(184);
  });

  it('reads what was deleted or cleared again', () => {
    const { cache, read, get } = emptyCache();
    for (const offset of [0, MIB, 2 * MIB]) get(offset);
    cache.delete({ offset: MIB, end: 2 * MIB });
    for (const offset of [0, MIB, 2 * MIB]) get(offset);
    expect(read).toEqual([0, MIB, 2 * MIB, MIB]);
    cache.clear();
    get(0);
    expect(read).toHaveLength(5);
  });

  it('reads a record again whose reading failed', () => {
    const { cache, get } = emptyCache();
    const fail = () => {
      throw new Error('damaged');
    };
    expect(() => cache.get({ offset: 0, end: MIB }, fail)).toThrow('damaged');
    expect(get(0).id).toBe('0');
  });
});
