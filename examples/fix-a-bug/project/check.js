import assert from 'node:assert/strict';
import { total } from './totals.js';

// Tax is on the sum, and rounded once.
assert.equal(
  total(
    [
      { cents: 3, count: 1 },
      { cents: 3, count: 1 },
      { cents: 3, count: 1 },
    ],
    0.15,
  ),
  10,
);
console.log('ok');
