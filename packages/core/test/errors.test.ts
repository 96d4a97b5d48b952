import { describe, expect, it } from 'vitest';
import { isMemoryError, MemoryError } from '../src/index.ts';

/** A second copy of the module, as a second install of the package has. */
async function secondCopy(): Promise<typeof import('../src/errors.ts')> {
  const specifier = '../src/errors.ts?second-copy';
  return import(specifier);
}

describe('MemoryError', () => {
  it('carries its code, its words and the cause', () => {
    const cause = new Error('ECONNREFUSED');
    const error = new MemoryError('BACKEND', 'The server refused.', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'MemoryError', code: 'BACKEND', message: 'The server refused.' });
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe('MemoryError: The server refused.');
  });

  it('has no cause where none is given', () => {
    expect('cause' in new MemoryError('CLOSED', 'Closed.')).toBe(false);
  });

  it('says that the same call may succeed later only where it was told so', () => {
    expect(new MemoryError('BACKEND', 'Busy.', { retryable: true }).retryable).toBe(true);
    expect(new MemoryError('BACKEND', 'Broken.').retryable).toBe(undefined);
  });

  it('shows nothing of its marker when it is written out', () => {
    expect(JSON.parse(JSON.stringify(new MemoryError('CLOSED', 'Closed.')))).toEqual({
      name: 'MemoryError',
      code: 'CLOSED',
    });
  });
});

describe('isMemoryError', () => {
  it('knows the errors of another copy of this package', async () => {
    const other = await secondCopy();
    expect(other.MemoryError).not.toBe(MemoryError);
    const error = new other.MemoryError('CONFLICT', 'Changed.');
    expect(error).not.toBeInstanceOf(MemoryError);
    expect(isMemoryError(error)).toBe(true);
    expect(isMemoryError(error, 'CONFLICT')).toBe(true);
    expect(other.isMemoryError(new MemoryError('CONFLICT', 'Changed.'), 'CONFLICT')).toBe(true);
  });

  it('tells codes apart', () => {
    const error = new MemoryError('TOO_LARGE', 'Too large.');
    expect(isMemoryError(error, 'TOO_LARGE')).toBe(true);
    expect(isMemoryError(error, 'CONFLICT')).toBe(false);
  });

  it('says no to anything else, however alike', () => {
    const alike = Object.assign(new Error('Changed.'), { name: 'MemoryError', code: 'CONFLICT' });
    for (const other of [alike, { code: 'CONFLICT' }, 'CONFLICT', undefined, null, 0, () => 1]) {
      expect(isMemoryError(other)).toBe(false);
      expect(isMemoryError(other, 'CONFLICT')).toBe(false);
    }
  });
});
