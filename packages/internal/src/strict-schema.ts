import { isObject } from './is-object.ts';
import { strictObject } from './strict-object.ts';

/*
 * What providers of models accept of JSON Schema differs. These schemas are valid for all: every property is required, no other
 * is allowed, and nothing is used but `type` (one), `description`, `enum` of texts, `properties`, `items` and `anyOf`.
 * - OpenAI, strict: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * - Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 * - Gemini: https://ai.google.dev/api/caching#Schema
 */

/** As OpenAI. */
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM_VALUES = 1_000;
const MAX_LENGTH = 120_000;
/** As Anthropic, of all `anyOf`. */
const MAX_UNIONS = 16;

type Schema = Readonly<Record<string, unknown>>;

const PLAIN_TYPES = ['string', 'number', 'integer', 'boolean', 'null'];

/**
 * A JSON Schema that the strict modes of providers accept, for values that match the given one: without constraints of numbers
 * and texts, references in place, and optional properties required but nullable. `undefined` for what can't be said so:
 * dictionaries, recursion, values of any type, and what is too large.
 */
export function strictSchema(schema: Schema): Schema | undefined {
  const strict = tightened(schema, { root: schema, within: [] });
  return strict !== undefined && isWithinLimits(strict) ? strict : undefined;
}

/** A value that was made by {@link strictSchema}, as the given schema wants it: without properties that are null for missing. */
export function withoutStrictNulls(value: unknown, schema: Schema, root: Schema = schema): unknown {
  const { properties, required = [], items, anyOf, oneOf } = dereferenced(schema, root) ?? {};
  if (Array.isArray(value)) return isObject(items) ? value.map((one) => withoutStrictNulls(one, items, root)) : value;
  if (!isObject<unknown>(value)) return value;
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) {
    const fitting = branches.filter(isObject).find((branch) => {
      const names = dereferenced(branch, root)?.properties;
      return isObject(names) && Object.keys(value).every((name) => Object.hasOwn(names, name));
    });
    return fitting === undefined ? value : withoutStrictNulls(value, fitting, root);
  }
  if (!isObject<unknown>(properties)) return value;
  const isMissing = (name: string) => value[name] === null && !(required as string[]).includes(name);
  const kept = Object.entries(value).filter(([name]) => !isMissing(name) || !Object.hasOwn(properties, name));
  return Object.fromEntries(
    kept.map(([name, one]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isObject(property) ? withoutStrictNulls(one, property, root) : one];
    }),
  );
}

interface Place {
  readonly root: Schema;
  /** The schemas that this one is a part of, to find recursion. */
  readonly within: readonly Schema[];
}

function tightened(given: unknown, { root, within }: Place): Schema | undefined {
  const schema = isObject<unknown>(given) ? dereferenced(given, root) : undefined;
  if (schema === undefined || within.includes(schema)) return undefined;
  const place = { root, within: [...within, schema] };
  const strict = ofKind(schema, place);
  const { description } = isObject(given) ? { ...schema, ...given } : schema;
  if (strict === undefined || typeof description !== 'string') return strict;
  return { ...strict, description };
}

function ofKind(schema: Schema, place: Place): Schema | undefined {
  const { type, anyOf, oneOf, allOf, enum: values, properties, items } = schema;
  if ('const' in schema) return ofValues([schema.const]);
  if (Array.isArray(values)) return ofValues(values);
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) return union(branches.map((branch) => tightened(branch, place)));
  if (Array.isArray(allOf)) return allOf.length === 1 ? tightened(allOf[0], place) : undefined;
  if (Array.isArray(type)) return union(type.map((one) => ofKind({ ...schema, type: one }, place)));
  if (type === 'object' || (type === undefined && isObject(properties))) return objectOf(schema, place);
  if (type === 'array') {
    const item = 'prefixItems' in schema ? undefined : tightened(items, place);
    return item && { type, items: item };
  }
  return PLAIN_TYPES.includes(type as string) ? { type } : undefined;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, place: Place): Schema | undefined {
  if (!isObject<unknown>(properties)) return undefined;
  const names = Object.keys(properties);
  // Without any, or a dictionary with some known ones.
  if (names.length === 0 || isTyped(additionalProperties)) return undefined;
  const strict: Record<string, Schema> = {};
  for (const name of names) {
    const property = tightened(properties[name], place);
    const isRequired = (required as string[]).includes(name);
    const own = isRequired ? property : property && union([property, { type: 'null' }]);
    if (own === undefined) return undefined;
    Object.defineProperty(strict, name, { value: own, enumerable: true });
  }
  return strictObject(strict);
}

function isTyped(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).length > 0;
}

/** A schema for one of these values. */
function ofValues(values: readonly unknown[]): Schema | undefined {
  const types = [...new Set(values.map(plainTypeOf))];
  const texts = values.filter((value) => typeof value === 'string');
  const isListed = texts.length > 0 && !texts.includes('');
  const ofType = (type: string) => (type === 'string' && isListed ? { type, enum: texts } : { type });
  return union(types.map((type) => (type === undefined ? undefined : ofType(type))));
}

function plainTypeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  const type = Number.isInteger(value) ? 'integer' : typeof value;
  return PLAIN_TYPES.includes(type) ? type : undefined;
}

/** Any of these schemas, each once; `undefined` if one of them is. */
function union(branches: readonly (Schema | undefined)[]): Schema | undefined {
  const all = new Map<string, Schema>();
  for (const branch of branches) {
    if (branch === undefined) return undefined;
    const { anyOf } = branch;
    for (const one of (anyOf as Schema[] | undefined) ?? [branch]) all.set(JSON.stringify(one), one);
  }
  const [only, ...others] = all.values();
  return others.length === 0 ? only : { anyOf: [...all.values()] };
}

/** The schema that a reference within `root` leads to. */
function dereferenced(schema: Schema, root: Schema): Schema | undefined {
  let found: unknown = schema;
  for (let steps = 0; isObject<unknown>(found) && typeof found.$ref === 'string'; steps++) {
    const [start, ...names] = found.$ref.split('/');
    if (start !== '#' || steps === MAX_DEPTH) return undefined;
    found = names.reduce<unknown>((at, name) => {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject<unknown>(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, root);
  }
  return isObject<unknown>(found) ? found : undefined;
}

function isWithinLimits(strict: Schema): boolean {
  const counts = { depth: 0, properties: 0, values: 0, length: 0, unions: 0 };
  const count = ({ properties, items, anyOf, enum: values }: Schema, depth: number) => {
    const listed = (values ?? []) as string[];
    const fields = Object.entries((properties ?? {}) as Record<string, Schema>);
    counts.depth = Math.max(counts.depth, depth);
    counts.values += listed.length;
    counts.properties += fields.length;
    counts.length += [...listed, ...fields.map(([name]) => name)].join('').length;
    counts.unions += Array.isArray(anyOf) ? 1 : 0;
    for (const [, field] of fields) count(field, depth + 1);
    if (isObject(items)) count(items, depth + 1);
    for (const branch of (anyOf ?? []) as Schema[]) count(branch, depth);
  };
  count(strict, 1);
  const { depth, properties, values, length, unions } = counts;
  return (
    strict.type === 'object' &&
    depth <= MAX_DEPTH &&
    properties <= MAX_PROPERTIES &&
    values <= MAX_ENUM_VALUES &&
    length <= MAX_LENGTH &&
    unions <= MAX_UNIONS
  );
}
