import { cloneJson, type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { isJsonObject } from '../summary/json-answer.ts';
import { mergeProfile, withoutNulls } from './merge-profile.ts';
import { issuePaths, jsonSchemaOf, type StandardSchema } from './standard-schema.ts';
import { TRAITS, TRAITS_SCHEMA } from './traits.ts';

/** Which fields a profile has. */
export interface ProfileShape {
  /** The fields as JSON Schema, where they can be told. */
  readonly schema: JsonObject | undefined;
  /** How many fields may be named beside the known ones, where that is open. */
  newKeys(known: JsonObject): number | undefined;
  /** The profile as it is to be stored; rejects with `INVALID_ARGUMENT` for one that has not this shape. */
  check(profile: JsonObject, known: JsonObject): Promise<JsonObject>;
}

/** What a profile becomes by what was learnt; rejects where that has not its shape. */
export async function nextProfile(
  shape: ProfileShape,
  mode: 'update' | 'replace',
  known: JsonObject,
  learnt: JsonObject,
): Promise<JsonObject> {
  if (!isJsonObject(learnt)) throw invalid('it is no object');
  const given = cloneJson(learnt, 'profile');
  return shape.check(mode === 'update' ? mergeProfile(known, given) : withoutNulls(given), known);
}

/** The default traits. */
export const traitsShape: ProfileShape = {
  schema: TRAITS_SCHEMA,
  newKeys: () => undefined,
  async check(profile) {
    const wrong = Object.entries(profile).filter(([name, value]) => !isTrait(name, value));
    if (wrong.length > 0) throw invalid(`look at ${wrong.map(([name]) => name.slice(0, 64)).join(', ')}`);
    return profile;
  },
};

/** The fields of a schema of the user's. What it makes of a profile is what is stored. */
export function schemaShape(schema: StandardSchema): ProfileShape {
  return {
    schema: jsonSchemaOf(schema),
    newKeys: () => undefined,
    async check(profile) {
      const result = await schema['~standard'].validate(profile);
      if (result.issues !== undefined) throw invalid(`look at ${issuePaths(result.issues)}`);
      if (!isJsonObject(result.value)) throw invalid('the schema makes no object of it');
      return cloneJson(result.value, 'profile');
    },
  };
}

/** Fields that the profiler names, up to a number; of more, the first stay. */
export function dynamicShape(maxKeys: number): ProfileShape {
  return {
    schema: undefined,
    newKeys: (known) => Math.max(0, maxKeys - Object.keys(known).length),
    async check(profile, known) {
      const names = Object.keys(profile);
      const old = names.filter((name) => Object.hasOwn(known, name));
      const kept = [...old, ...names.filter((name) => !Object.hasOwn(known, name))].slice(
        0,
        Math.max(maxKeys, old.length),
      );
      const wrong = kept.filter((name) => !/^[\p{L}_][\p{L}\p{N}_]{0,63}$/u.test(name) || !isPlain(profile[name]));
      if (wrong.length > 0) throw invalid(`look at ${wrong.map((name) => name.slice(0, 64)).join(', ')}`);
      return Object.fromEntries(kept.map((name) => [name, profile[name] as JsonValue]));
    },
  };
}

function isTrait(name: string, value: JsonValue): boolean {
  const trait = Object.hasOwn(TRAITS, name) ? TRAITS[name] : undefined;
  if (trait === undefined) return false;
  if (trait.kind === 'text') return typeof value === 'string';
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPlain(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.every((entry) => typeof entry !== 'object' || entry === null);
  return typeof value !== 'object';
}

function invalid(where: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', `What the profiler gave is no profile of this shape: ${where}.`);
}
