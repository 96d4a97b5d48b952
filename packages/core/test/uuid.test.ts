import { afterEach, describe, expect, it, vi } from 'vitest';
import { uuidv7 } from '../src/adapter.ts';

const milliseconds = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('uuidv7', () => {
  afterEach(() => vi.useRealTimers());

  it('has the form, the version and the variant of RFC 9562', () => {
    for (let count = 0; count < 1_000; count++) {
      expect(uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 10_000 }, uuidv7)).size).toBe(10_000);
  });

  it('contains its creation time, and sorts by it', () => {
    vi.useFakeTimers();
    const times = [0, 1, 0xffff_ffff, 0x1_0000_0000, Date.UTC(2026, 10, 21, 8), Date.UTC(2026, 10, 21, 8) + 1];
    const ids = times.map((time) => {
      vi.setSystemTime(time);
      return uuidv7();
    });
    expect(ids.map(milliseconds)).toEqual(times);
    expect(ids.toSorted()).toEqual(ids);
  });
});
