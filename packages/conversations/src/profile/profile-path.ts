import type { JsonObject, JsonValue } from '@keepsake/core';
import { fieldPath, isObject } from '@keepsake/internal';

/**
 * The path of a field of a profile, for errors. A name that the application did not choose may come from what a user said, so
 * its position stands for it.
 *
 * @param chosen - The names that the application chose.
 */
export function profilePath(profile: JsonObject, path: readonly string[], chosen: ReadonlySet<string>): string {
  let value: JsonValue | undefined = profile;
  let shown = 'profile';
  for (const name of path) {
    const names: string[] = isObject<JsonValue>(value) ? Object.keys(value) : [];
    // Only the schema can know a name that the profile lacks.
    const isShown = chosen.has(name) || !names.includes(name);
    if (Array.isArray(value)) shown += `[${name}]`;
    else shown += isShown ? `.${name}` : fieldPath(name, names.indexOf(name) + 1);
    value = (value as Record<string, JsonValue | undefined> | null | undefined)?.[name];
  }
  return shown;
}
