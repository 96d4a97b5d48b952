import { expect } from './expect.ts';

/**
 * Throws `INVALID_ARGUMENT` unless `text` is a valid id or segment: not empty, at most `maxLength`, no NUL, no lone
 * surrogate.
 */
export function expectText(text: unknown, what: string, maxLength: number): asserts text is string {
  expect(typeof text === 'string', `${what} is not a string.`);
  expect(text !== '', `${what} is empty.`);
  expect(text.length <= maxLength, `${what} is longer than ${maxLength} characters.`);
  expect(!text.includes('\0'), `${what} holds a NUL character.`);
  expect(text.isWellFormed(), `${what} holds a lone surrogate.`);
}

/** Ids of sessions and records: 1 to 512 characters (UTF-16 code units), no NUL, no lone surrogates. */
export const MAX_ID_LENGTH = 512;

/** Throws `INVALID_ARGUMENT` for an invalid id; `what` names it, such as `sessionId`. */
export function checkId(id: unknown, what: string): asserts id is string {
  expectText(id, what, MAX_ID_LENGTH);
}
