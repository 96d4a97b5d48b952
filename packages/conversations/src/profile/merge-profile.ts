import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/**
 * Merges new facts into a profile, as JSON Merge Patch (RFC 7396): `null` removes a field, missing fields stay, objects merge
 * field by field, everything else replaces, including lists.
 */
export function mergeProfile(profile: JsonObject, learnt: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(profile), ...Object.keys(learnt)])];
  const merged = names.flatMap((name) => {
    const value = mergeValue(own(profile, name), own(learnt, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  // Object.fromEntries defines `__proto__` as an own field; an assignment would set the prototype.
  return Object.fromEntries(merged);
}

/** A profile without nulls, which mean nothing. */
export function withoutNulls(profile: JsonObject): JsonObject {
  return mergeProfile({}, profile);
}

function mergeValue(storedValue: JsonValue | undefined, learnt: JsonValue | undefined): JsonValue | undefined {
  if (learnt === undefined) return storedValue;
  if (learnt === null) return undefined;
  if (!isObject(learnt)) return learnt;
  return mergeProfile(isObject(storedValue) ? storedValue : {}, learnt);
}

function own(fields: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
