import { expect, it } from 'vitest';
import { LruMap } from '../src/index.ts';

it('creates each value once, and drops the least recently used entry', () => {
  const created: string[] = [];
  const map = new LruMap<string, string>(2);
  const get = (key: string) => map.getOrCreate(key, () => `${key}${created.push(key)}`);

  expect([get('a'), get('b'), get('a')]).toEqual(['a1', 'b2', 'a1']);
  expect(get('c')).toBe('c3');
  expect([get('a'), get('b')]).toEqual(['a1', 'b4']);
  expect(created).toEqual(['a', 'b', 'c', 'b']);
});

it('keeps values that are undefined', () => {
  const map = new LruMap<string, undefined>(2);
  let calls = 0;
  const create = () => void calls++;
  map.getOrCreate('a', create);
  map.getOrCreate('a', create);
  expect(calls).toBe(1);
});

it('removes and returns all values, the least recently used first', () => {
  const map = new LruMap<number, number>(3);
  for (const key of [1, 2, 3, 1, 4]) map.getOrCreate(key, () => key);
  expect(map.takeAll()).toEqual([3, 1, 4]);
  expect(map.takeAll()).toEqual([]);
});
