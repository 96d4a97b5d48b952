import { describe, expect, it } from 'vitest';
import { nearestName } from '../src/index.ts';

const KNOWN = ['namespace', 'name', 'writable', 'maxSearchResults', 'ttlMs'];

describe('nearestName', () => {
  it.each([
    ['nameSpace', 'namespace'],
    ['namspace', 'namespace'],
    ['writeable', 'writable'],
    ['maxSearchResult', 'maxSearchResults'],
    ['ttl', undefined],
    ['ttlms', 'ttlMs'],
    ['filter', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestName(name, KNOWN)).toBe(nearest);
  });
});
