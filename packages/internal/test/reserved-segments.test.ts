import { expect, it } from 'vitest';
import { asSegment, fromSegment } from '../src/index.ts';

const VALUES = ['u', 's', 'o', 'user', 'keepsake-outbox', '%u', '%%u', '%user', 'users', 'U', '%', 'alice'];

it('asSegment never returns a reserved mark, and fromSegment is its inverse', () => {
  const segments = VALUES.map(asSegment);
  for (const mark of ['u', 's', 'o', 'keepsake-outbox']) expect(segments).not.toContain(mark);
  expect(new Set(segments).size).toBe(VALUES.length);
  expect(segments.map(fromSegment)).toEqual(VALUES);
  expect(asSegment('alice')).toBe('alice');
});
