import { describe, expect, it } from 'vitest';
import { isMemoryError, MemoryError } from '../src/index.ts';

/** A second copy of the module, as a second installation of the package has. */
async function secondCopy(): Promise<typeof import('../src/common/errors.ts')> {
  const specifier = '../src/common/errors.ts?second-copy';
  return import(specifier);
}

describe('MemoryError', () => {
  it('has a code, a message and a cause', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new MemoryError('BACKEND', 'The server refused.', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'MemoryError', code: 'BACKEND', message: 'The server refused.' });
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe('MemoryError: The server refused.');
  });

  it('has no cause unless one is given', () => {
    expect('cause' in new MemoryError('CLOSED', 'Closed.')).toBe(false);
  });

  it('is retryable only if constructed that way', () => {
    expect(new MemoryError('BACKEND', 'Busy.', { retryable: true }).retryable).toBe(true);
    expect(new MemoryError('BACKEND', 'Broken.').retryable).toBe(undefined);
  });

  it('does not show its internal marker in JSON', () => {
    expect(JSON.parse(JSON.stringify(new MemoryError('CLOSED', 'Closed.')))).toEqual({
      name: 'MemoryError',
      code: 'CLOSED',
    });
  });
});

describe('isMemoryError', () => {
  it('recognises errors of another copy of this package', async () => {
    const other = await secondCopy();
    expect(other.MemoryError).not.toBe(MemoryError);
    const error = new other.MemoryError('CONFLICT', 'Changed.');
    expect(error).not.toBeInstanceOf(MemoryError);
    expect(isMemoryError(error)).toBe(true);
    expect(isMemoryError(error, 'CONFLICT')).toBe(true);
    expect(other.isMemoryError(new MemoryError('CONFLICT', 'Changed.'), 'CONFLICT')).toBe(true);
  });

  it('compares the code', () => {
    const error = new MemoryError('TOO_LARGE', 'Too large.');
    expect(isMemoryError(error, 'TOO_LARGE')).toBe(true);
    expect(isMemoryError(error, 'CONFLICT')).toBe(false);
  });

  it('returns false for anything else, even lookalikes', () => {
    const alike = Object.assign(new Error('Changed.'), { name: 'MemoryError', code: 'CONFLICT' });
    for (const other of [alike, { code: 'CONFLICT' }, 'CONFLICT', undefined, null, 0, () => 1]) {
      expect(isMemoryError(other)).toBe(false);
      expect(isMemoryError(other, 'CONFLICT')).toBe(false);
    }
  });
});
