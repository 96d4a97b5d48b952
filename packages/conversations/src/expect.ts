import { checkId, MemoryError } from '@keepsake/core';
import { type ConversationKind, KINDS } from './runs/kind.ts';

/** Throws `INVALID_ARGUMENT` with a message, which says what is to be, unless that is so. */
export function expect(isSo: unknown, message: string): asserts isSo {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}

/** Throws `INVALID_ARGUMENT` unless a value is missing or a whole number of `min` or more. */
export function expectCount(value: unknown, what: string, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= min)) return;
  expect(false, `${what} is to be a whole number of ${min} or more.`);
}

/** Ids of sessions and users are segments of namespaces, which may be no longer. */
const MAX_SEGMENT = 256;

/** Throws `INVALID_ARGUMENT` for what can't name a session, a user or a tenant. */
export function expectSegment(id: unknown, what: string): asserts id is string {
  checkId(id, what);
  expect(id.length <= MAX_SEGMENT, `${what} is longer than ${MAX_SEGMENT} characters.`);
}

export function expectKind(kind: unknown): asserts kind is ConversationKind {
  expect((KINDS as readonly unknown[]).includes(kind), `The kind is to be ${KINDS.join(', ')}.`);
}
