import type { JsonObject, JsonValue } from '@keepsake/core';
import { checkId, cloneJson, expect, expectWhole } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { type ConversationKind, KINDS } from './runs/kind.ts';

/** Throws `INVALID_ARGUMENT` unless a value is missing or a whole number of `min` or more. */
export function expectCount(value: unknown, what: string, min: number): void {
  if (value !== undefined) expectWhole(value, what, min);
}

/** Ids of sessions and users are namespace segments, which have a maximum length. */
const MAX_SEGMENT = 256;

/** Throws `INVALID_ARGUMENT` for an invalid id of a session, a user or a tenant. */
export function expectSegment(id: unknown, what: string): asserts id is string {
  checkId(id, what);
  expect(id.length <= MAX_SEGMENT, `${what} is longer than ${MAX_SEGMENT} characters.`);
}

export function expectKind(kind: unknown): asserts kind is ConversationKind {
  expect((KINDS as readonly unknown[]).includes(kind), `The kind must be ${KINDS.join(', ')}.`);
}

/** A deep copy of a JSON object. Throws `INVALID_ARGUMENT` for anything else. */
export function copyObject(value: unknown, what: string): JsonObject {
  const copy = value === undefined ? undefined : cloneJson(value, what);
  expect(isObject<JsonValue>(copy), `${what} must be a JSON object.`);
  return copy;
}
