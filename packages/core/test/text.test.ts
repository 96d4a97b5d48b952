import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { checkId, MAX_ID_LENGTH } from '../src/common/text.ts';

describe('checkId', () => {
  it.each(['a', '../', '%2e', 'CON', '*?[]{}:', '__proto__', 'é', '😀', '\ufeff', ' ', 'x'.repeat(MAX_ID_LENGTH)])(
    'accepts %j',
    (id) => expect(() => checkId(id, 'sessionId')).not.toThrow(),
  );

  it.each([
    ['', 'sessionId is empty.'],
    ['x'.repeat(513), 'sessionId is longer than 512 characters.'],
    ['a\0b', 'sessionId holds a NUL character.'],
    ['a\ud800', 'sessionId holds a lone surrogate.'],
    ['\udc00\ud800', 'sessionId holds a lone surrogate.'],
    [undefined, 'sessionId is not a string.'],
    [null, 'sessionId is not a string.'],
    [7, 'sessionId is not a string.'],
    [['a'], 'sessionId is not a string.'],
  ])('refuses %j', (id, message) => {
    expect(() => checkId(id, 'sessionId')).toThrow(memoryError('INVALID_ARGUMENT', message));
  });
});
