import type { JsonObject, JsonValue } from '@keepsake/core';
import { isJsonObject } from '../summary/json-answer.ts';

/**
 * What is known with what was learnt merged into it: null and what is missing never erase, objects merge field by field,
 * all else replaces, lists too.
 */
export function mergeProfile(known: JsonObject, learnt: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(known), ...Object.keys(learnt)])];
  const merged = names.flatMap((name) => {
    const value = mergeValue(own(known, name), own(learnt, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  // Object.fromEntries defines `__proto__` as an own field, where an assignment would set the prototype.
  return Object.fromEntries(merged);
}

/** A profile without nulls, which say nothing. */
export function withoutNulls(profile: JsonObject): JsonObject {
  return mergeProfile({}, profile);
}

function mergeValue(known: JsonValue | undefined, learnt: JsonValue | undefined): JsonValue | undefined {
  if (learnt === undefined || learnt === null) return known;
  if (!isJsonObject(learnt)) return learnt;
  return mergeProfile(isJsonObject(known) ? known : {}, learnt);
}

function own(fields: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
