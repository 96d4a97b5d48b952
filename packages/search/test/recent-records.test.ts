import { describe, expect, it } from 'vitest';
import { RecentRecords, type StoredRecord } from '../src/index.ts';

const recordOf = (key: number) => ({ id: `${key}` }) as StoredRecord;

/** Records of one byte each that are kept up to a number, and the keys of those that had to be read. */
function recentRecords(most: number) {
  const recent = new RecentRecords(most);
  const read: number[] = [];
  const get = (key: number) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    read.push(key);
    recent.set(key, recordOf(key), 1);
    return recordOf(key);
  };
  return { recent, read, get };
}

describe('Recent records', () => {
  it('are at least half of what may be kept, and no more than all', () => {
    const { recent, read, get } = recentRecords(16);
    for (let key = 0; key < 100; key++) {
      get(key);
      expect(recent.bytes).toBeLessThanOrEqual(16);
    }
    expect(read).toHaveLength(100);
    for (let key = 92; key < 100; key++) expect(get(key).id).toBe(`${key}`);
    expect(read).toHaveLength(100);
    for (let key = 83; key >= 0; key--) get(key);
    expect(read).toHaveLength(184);
  });

  it('that were deleted or cleared are gone', () => {
    const { recent, read, get } = recentRecords(16);
    for (const key of [0, 1, 2]) get(key);
    recent.delete(1);
    for (const key of [0, 1, 2]) get(key);
    expect(read).toEqual([0, 1, 2, 1]);
    recent.clear();
    expect(recent.bytes).toBe(0);
    get(0);
    expect(read).toHaveLength(5);
  });
});
