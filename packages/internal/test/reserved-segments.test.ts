import { expect, it } from 'vitest';
import { asParentSegment, asSegment, fromParentSegment, isReserved } from '../src/index.ts';

const VALUES = ['u', 's', 'o', 'user', 'keepsake-outbox', '%u', '%user', '%%user', 'users', 'User', '%', 'alice'];

it('asSegment never returns a reserved mark, and different segments for different values', () => {
  expect(VALUES.map(asSegment).filter((segment) => isReserved(segment) && !segment.startsWith('%'))).toEqual([]);
  expect(new Set(VALUES.map(asSegment)).size).toBe(VALUES.length);
});

it('asParentSegment never returns a mark or `user`, and fromParentSegment is its inverse', () => {
  const segments = VALUES.map(asParentSegment);
  for (const mark of ['u', 's', 'o', 'user', 'keepsake-outbox']) expect(segments).not.toContain(mark);
  expect(new Set(segments).size).toBe(VALUES.length);
  expect(segments.map(fromParentSegment)).toEqual(VALUES);
  expect(asParentSegment('alice')).toBe('alice');
});
