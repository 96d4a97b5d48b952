import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { profilePath } from './profile-path.ts';

/* A profile goes into every prompt, so it is as short as a summary. */

/** The maximum length of a profile, as JSON. */
export const MAX_PROFILE = 8_000;
/** The maximum length of a field, as JSON. */
export const MAX_FIELD = 4_000;
/** The maximum number of fields, including those of nested objects. */
export const MAX_KEYS = 100;
const MAX_KEY = 100;

/** The fields over the limit. */
export function largeFields(profile: JsonObject): string[] {
  return Object.keys(profile).filter((name) => JSON.stringify(profile[name]).length > MAX_FIELD);
}

/**
 * Throws `TOO_LARGE` for a profile over a limit. Says which field, never its value.
 *
 * @param chosen - The names that the application chose.
 */
export function checkProfileSize(profile: JsonObject, chosen: ReadonlySet<string>): void {
  const keys = keysIn(profile);
  if (keys.length > MAX_KEYS) throw tooLarge(`${keys.length} fields, more than ${MAX_KEYS}`);
  if (keys.some((key) => key.length > MAX_KEY))
    throw tooLarge(`a field whose name has more than ${MAX_KEY} characters`);
  for (const [name, value] of Object.entries(profile)) {
    const size = JSON.stringify(value).length;
    if (size <= MAX_FIELD) continue;
    throw tooLarge(`${size} characters in \`${profilePath(profile, [name], chosen)}\`, more than ${MAX_FIELD}`);
  }
  const size = JSON.stringify(profile).length;
  if (size > MAX_PROFILE) throw tooLarge(`${size} characters, more than ${MAX_PROFILE}`);
}

function keysIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject<JsonValue>(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => [key, ...keysIn(field)]);
}

function tooLarge(what: string): MemoryError {
  return new MemoryError('TOO_LARGE', `The profile would have ${what}. Ask the profiler for shorter values.`);
}
