import { isMemoryError, type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { cloneJson } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { mergeProfile, withoutNulls } from './merge-profile.ts';
import { checkProfileSize, largeFields } from './profile-limits.ts';
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
  newKeys(knownFacts: JsonObject): number | undefined;
  /** The profile as stored, or the paths of what does not match. */
  check(profile: JsonObject, knownFacts: JsonObject): Promise<JsonObject | Misfits>;
}

type Path = readonly string[];

/** The paths of values of another shape. */
class Misfits {
  readonly paths: readonly Path[];

  constructor(paths: readonly Path[]) {
    this.paths = paths;
  }
}

/** A profile after an answer. */
export interface NextProfile {
  readonly data: JsonObject;
  /** Why a part of the answer is left out, if one is. */
  readonly refusal: MemoryError | undefined;
}

/**
 * Applies new facts to a profile. What has another shape is left out, and stays as it was.
 *
 * @throws MemoryError `INVALID_ARGUMENT` or `TOO_LARGE` if nothing is left of the answer, or the result is no profile.
 */
export async function nextProfile(
  shape: ProfileShape,
  mode: 'update' | 'replace',
  knownFacts: JsonObject,
  learnt: JsonObject,
): Promise<NextProfile> {
  if (!isObject(learnt)) throw invalid('it is not an object');
  const learntFacts = withLists(cloneJson(learnt, 'profile'), shape.schema) as JsonObject;
  const shown = new Set<string>();
  let refusal: MemoryError | undefined;
  for (let facts = learntFacts; ; ) {
    const profile = mode === 'update' ? mergeProfile(knownFacts, facts) : withoutNulls(facts);
    const checked = await shape.check(profile, knownFacts);
    const large = checked instanceof Misfits ? [] : largeFields(checked);
    if (!(checked instanceof Misfits) && large.length === 0) {
      checkProfileSize(checked, shape.names);
      return { data: checked, refusal };
    }
    const paths = checked instanceof Misfits ? checked.paths : large.map((name) => [name]);
    if (checked instanceof Misfits) {
      for (const path of paths) shown.add(`\`${profilePath(profile, path, shape.names)}\``);
      refusal = invalid(`look at ${[...shown].join(', ')}`);
    } else refusal ??= sizeFault(checked, shape.names);
    const fewer = mode === 'update' ? without(facts, paths) : restored(facts, paths, knownFacts);
    if (fewer === undefined || Object.keys(fewer).length === 0) throw refusal;
    facts = fewer;
  }
}

function sizeFault(profile: JsonObject, names: ReadonlySet<string>): MemoryError | undefined {
  try {
    checkProfileSize(profile, names);
  } catch (error) {
    if (isMemoryError(error)) return error;
    throw error;
  }
  return undefined;
}

/** A text where a list of texts is wanted is a list of one. */
function withLists(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isObject<JsonValue>(schema)) return value;
  const { properties, anyOf, type, items } = schema;
  if (Array.isArray(anyOf)) {
    const list = anyOf.find((one) => isObject(one) && one.type === 'array');
    return typeof value === 'string' ? withLists(value, list) : value;
  }
  if (typeof value === 'string') {
    const isList = type === 'array' && isObject(items) && items.type === 'string';
    return isList && value.trim() !== '' ? [value] : value;
  }
  if (!isObject<JsonValue>(value) || !isObject<JsonValue>(properties)) return value;
  const fieldOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withLists(field, fieldOf(name))]));
}

/** The facts without the fields that contain these paths; `undefined` if they contain none of them. */
function without(facts: JsonObject, paths: readonly Path[]): JsonObject | undefined {
  const left = paths.reduce(withoutPath, facts);
  return left === facts ? undefined : left;
}

function withoutPath(facts: JsonObject, [name, ...rest]: Path): JsonObject {
  if (name === undefined || !Object.hasOwn(facts, name)) return facts;
  const inner = facts[name];
  const kept = isObject<JsonValue>(inner) && rest.length > 0 ? withoutPath(inner, rest) : inner;
  const others = Object.entries(facts).filter(([other]) => other !== name);
  // Nothing inside of it is to blame, or nothing else is left in it.
  if (kept === inner || Object.keys(kept as JsonObject).length === 0) return Object.fromEntries(others);
  return { ...Object.fromEntries(others), [name]: kept as JsonValue };
}

/** The facts with the fields of the profile so far that contain these paths; without those that are from it already. */
function restored(facts: JsonObject, paths: readonly Path[], knownFacts: JsonObject): JsonObject | undefined {
  const names = new Set(paths.flatMap(([name]) => name ?? []));
  if (![...names].some((name) => Object.hasOwn(facts, name))) return undefined;
  if (Object.keys(facts).every((name) => names.has(name))) return undefined;
  const before = (name: string) =>
    Object.hasOwn(knownFacts, name) && facts[name] !== knownFacts[name] ? [[name, knownFacts[name]] as const] : [];
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (names.has(name) ? before(name) : [[name, value] as const])),
  ) as JsonObject;
}

/** The default traits. */
export const traitsShape: ProfileShape = {
  schema: TRAITS_SCHEMA,
  names: /* @__PURE__ */ new Set(/* @__PURE__ */ Object.keys(TRAITS)),
  newKeys: () => undefined,
  async check(profile) {
    const wrong = Object.keys(profile).filter((name) => !isTrait(name, profile[name]));
    return wrong.length === 0 ? profile : new Misfits(wrong.map((name) => [name]));
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
      if (result.issues !== undefined) return new Misfits(result.issues.map(issuePath));
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
    newKeys: (knownFacts) => Math.max(0, maxKeys - Object.keys(knownFacts).length),
    async check(profile, knownFacts) {
      const names = Object.keys(profile);
      const old = names.filter((name) => Object.hasOwn(knownFacts, name));
      const kept = [...old, ...names.filter((name) => !Object.hasOwn(knownFacts, name))].slice(
        0,
        Math.max(maxKeys, old.length),
      );
      const wrong = kept.filter((name) => !/^[\p{L}_][\p{L}\p{N}_]{0,63}$/u.test(name) || !isPlain(profile[name]));
      if (wrong.length > 0) return new Misfits(wrong.map((name) => [name]));
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

function invalid(where: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', `The profiler's answer does not match the profile's fields: ${where}.`);
}
