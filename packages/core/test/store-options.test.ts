import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { InvocationTrigger } from '../src/index.ts';
import {
  checkIdentity,
  checkIfVersion,
  expectVersion,
  searchLimit,
  throwIfAborted,
} from '../src/store/store-options.ts';

const counted = (what: string) => memoryError('INVALID_ARGUMENT', `${what} must be a whole number of 1 or more.`);
const badCounts = [
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '3' as unknown as number,
  null as unknown as number,
];

describe('checkIdentity', () => {
  it('keeps given fields, and leaves out undefined and unknown ones', () => {
    const identity = { name: 'facts', description: undefined, maxSearchResults: 3, writable: false, other: 1 };
    expect(checkIdentity(identity as { name: string })).toStrictEqual({
      name: 'facts',
      maxSearchResults: 3,
      writable: false,
    });
    expect(checkIdentity({})).toStrictEqual({});
  });

  it('keeps extraction settings as they are', () => {
    const extraction = { trigger: new InvocationTrigger() };
    expect(checkIdentity({ extraction }).extraction).toBe(extraction);
  });

  it.each(['', '  ', 7, null, 'two\nlines', 'nul\0', '\u202eturned', '\ud800', 'x'.repeat(129)])(
    'refuses the name %j',
    (name) => {
      expect(() => checkIdentity({ name: name as string })).toThrow(
        memoryError('INVALID_ARGUMENT', /^name must be a text that is not blank, of up to 128 characters/),
      );
    },
  );

  it.each(['Fakten über Vögel', '</memory>', '👨‍👩‍👧', 'x'.repeat(128)])('accepts the name %j', (name) => {
    expect(checkIdentity({ name })).toStrictEqual({ name });
  });

  it.each([7, null, 'x'.repeat(4_097)])('refuses the description %#', (description) => {
    expect(() => checkIdentity({ description: description as string })).toThrow(
      memoryError('INVALID_ARGUMENT', 'description must be a text of up to 4096 characters.'),
    );
  });

  it.each(badCounts)('refuses maxSearchResults of %s', (maxSearchResults) => {
    expect(() => checkIdentity({ maxSearchResults })).toThrow(counted('maxSearchResults'));
  });
});

describe('searchLimit', () => {
  it('is the limit of the call, or else of the store, or else 10', () => {
    expect(searchLimit({ maxSearchResults: 5 }, { maxSearchResults: 2 })).toBe(2);
    expect(searchLimit({ maxSearchResults: 5 }, {})).toBe(5);
    expect(searchLimit({ maxSearchResults: 5 }, undefined)).toBe(5);
    expect(searchLimit({}, undefined)).toBe(10);
  });

  it.each(badCounts)('refuses maxSearchResults of %s', (maxSearchResults) => {
    const search = () => searchLimit({ maxSearchResults: 5 }, { maxSearchResults });
    expect(search).toThrow(counted('maxSearchResults'));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '0.5' as unknown as number])(
    'refuses a minScore of %s',
    (minScore) => {
      expect(() => searchLimit({}, { minScore })).toThrow(
        memoryError('INVALID_ARGUMENT', 'minScore must be a finite number.'),
      );
      expect(searchLimit({}, { minScore: -0.5 })).toBe(10);
    },
  );
});

describe('versions', () => {
  it.each([undefined, 0, 1, Number.MAX_SAFE_INTEGER])('%s can be an ifVersion', (ifVersion) => {
    expect(() => checkIfVersion(ifVersion)).not.toThrow();
  });

  it.each([-1, 0.5, Number.NaN, '1' as unknown as number, null as unknown as number])(
    'refuses an ifVersion of %s',
    (ifVersion) => {
      expect(() => checkIfVersion(ifVersion)).toThrow(
        memoryError('INVALID_ARGUMENT', 'ifVersion must be a whole number of 0 or more.'),
      );
    },
  );

  it('conflict unless they are equal or ifVersion is missing', () => {
    expect(() => expectVersion(undefined, 3)).not.toThrow();
    expect(() => expectVersion(3, 3)).not.toThrow();
    expect(() => expectVersion(0, 0)).not.toThrow();
    expect(() => expectVersion(0, 3)).toThrow(
      memoryError('CONFLICT', 'The record has version 3, not 0 (0 = it does not exist). Read it again.'),
    );
    expect(() => expectVersion(2, 0)).toThrow(memoryError('CONFLICT', /^The record has version 0, not 2/));
  });
});

describe('throwIfAborted', () => {
  it('throws ABORTED with the reason once the signal is aborted', () => {
    const controller = new AbortController();
    expect(() => throwIfAborted(undefined)).not.toThrow();
    expect(() => throwIfAborted(controller.signal)).not.toThrow();
    const reason = new Error('The user left.');
    controller.abort(reason);
    const aborted = expect.objectContaining({
      code: 'ABORTED',
      message: 'The caller aborted this call.',
      cause: reason,
    });
    expect(() => throwIfAborted(controller.signal)).toThrow(aborted);
  });
});
