import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { cloneJson } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { mergeProfile, withoutNulls } from './merge-profile.ts';
import { checkProfileSize } from './profile-limits.ts';
import { profilePath } from './profile-path.ts';
import { issuePath, jsonSchemaOf, type StandardSchema } from './standard-schema.ts';
import { TRAITS, TRAITS_SCHEMA } from './traits.ts';

/** The fields of a profile. */
export interface ProfileShape {
  /** The fields as JSON Schema, if known. */
  readonly schema: JsonObject | undefined;
  /** The names that the application chose, which errors may show. */
  readonly names: ReadonlySet<string>;
  /** How many more fields the profiler may name, if it may. */
  newKeys(known: JsonObject): number | undefined;
  /** The profile as stored. Rejects with `INVALID_ARGUMENT` for another shape. */
  check(profile: JsonObject, known: JsonObject): Promise<JsonObject>;
}

/** Applies new facts to a profile. Rejects if the result has another shape or is too large. */
export async function nextProfile(
  shape: ProfileShape,
  mode: 'update' | 'replace',
  known: JsonObject,
  learnt: JsonObject,
): Promise<JsonObject> {
  if (!isObject(learnt)) throw invalid('it is not an object');
  const given = cloneJson(learnt, 'profile');
  const next = await shape.check(mode === 'update' ? mergeProfile(known, given) : withoutNulls(given), known);
  checkProfileSize(next, shape.names);
  return next;
}

/** The default traits. */
export const traitsShape: ProfileShape = {
  schema: TRAITS_SCHEMA,
  names: /* @__PURE__ */ new Set(/* @__PURE__ */ Object.keys(TRAITS)),
  newKeys: () => undefined,
  async check(profile) {
    const wrong = Object.keys(profile).filter((name) => !isTrait(name, profile[name]));
    if (wrong.length > 0)
      throw misfit(
        profile,
        wrong.map((name) => [name]),
        this.names,
      );
    return profile;
  },
};

/** The fields of a caller's schema. The schema's output is stored. */
export function schemaShape(schema: StandardSchema): ProfileShape {
  const described = jsonSchemaOf(schema);
  const names = new Set(propertyNames(described));
  return {
    schema: described,
    names,
    newKeys: () => undefined,
    async check(profile) {
      const result = await schema['~standard'].validate(profile);
      // Without the messages of the issues, which may quote content.
      if (result.issues !== undefined) throw misfit(profile, result.issues.map(issuePath), names);
      if (!isObject<JsonValue>(result.value)) throw invalid('the output of the schema is not an object');
      return cloneJson(result.value, 'profile');
    },
  };
}

/** Fields that the profiler names, up to a maximum. Of more, the first are kept. */
export function dynamicShape(maxKeys: number): ProfileShape {
  return {
    schema: undefined,
    names: new Set(),
    newKeys: (known) => Math.max(0, maxKeys - Object.keys(known).length),
    async check(profile, known) {
      const names = Object.keys(profile);
      const old = names.filter((name) => Object.hasOwn(known, name));
      const kept = [...old, ...names.filter((name) => !Object.hasOwn(known, name))].slice(
        0,
        Math.max(maxKeys, old.length),
      );
      const wrong = kept.filter((name) => !/^[\p{L}_][\p{L}\p{N}_]{0,63}$/u.test(name) || !isPlain(profile[name]));
      if (wrong.length > 0)
        throw misfit(
          profile,
          wrong.map((name) => [name]),
          this.names,
        );
      return Object.fromEntries(kept.map((name) => [name, profile[name] as JsonValue]));
    },
  };
}

function isTrait(name: string, value: JsonValue | undefined): boolean {
  const trait = Object.hasOwn(TRAITS, name) ? TRAITS[name] : undefined;
  if (trait === undefined) return false;
  if (trait.kind === 'text') return typeof value === 'string';
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPlain(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.every((entry) => typeof entry !== 'object' || entry === null);
  return typeof value !== 'object';
}

/** The names of the properties of a JSON Schema, at any depth. */
function propertyNames(schema: JsonValue | undefined): string[] {
  if (Array.isArray(schema)) return schema.flatMap(propertyNames);
  if (!isObject<JsonValue>(schema)) return [];
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return [...names, ...Object.values(schema).flatMap(propertyNames)];
}

function misfit(profile: JsonObject, paths: readonly string[][], names: ReadonlySet<string>): MemoryError {
  const shown = new Set(paths.map((path) => `\`${profilePath(profile, path, names)}\``));
  return invalid(`look at ${[...shown].join(', ')}`);
}

function invalid(where: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', `The profiler's answer does not match the profile's fields: ${where}.`);
}
