/*
 * The published rules of providers for the JSON Schemas of answers, as far as a request shows them:
 * - OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * - Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 * - Gemini: https://ai.google.dev/api/caching#Schema
 */

type Schema = Readonly<Record<string, unknown>>;

/** A part of a schema, and the names that lead to it. */
interface Part {
  readonly schema: Schema;
  readonly path: readonly string[];
  /** How many objects and arrays it is in. */
  readonly depth: number;
}

/** The schema and those within it, outer ones first. */
function* partsOf(schema: unknown, path: readonly string[] = [], depth = 1): Generator<Part> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, items, anyOf, $defs } = schema as Schema;
  yield { schema: schema as Schema, path, depth };
  for (const [name, one] of Object.entries(properties ?? {})) yield* partsOf(one, [...path, name], depth + 1);
  for (const [name, one] of Object.entries($defs ?? {})) yield* partsOf(one, [...path, '$defs', name], depth);
  if (items !== undefined) yield* partsOf(items, [...path, 'items'], depth + 1);
  for (const [index, one] of (Array.isArray(anyOf) ? anyOf : []).entries())
    yield* partsOf(one, [...path, `${index}`], depth);
}

const OPENAI_REFUSES = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'default'],
  ...['patternProperties', 'propertyNames', 'minProperties', 'maxProperties', 'unevaluatedProperties', 'uniqueItems'],
];

/** Why OpenAI refuses a schema that is sent as strict, in its words; `undefined` if it accepts it. */
export function openaiSchemaFault(root: unknown): string | undefined {
  let [properties, values, length] = [0, 0, 0];
  for (const { schema, path, depth } of partsOf(root)) {
    const { type, required, additionalProperties, items, enum: listed = [], $ref, anyOf } = schema;
    const at = `In context=(${path.join(', ')})`;
    if (path.length === 0 && type !== 'object') return 'schema must be a JSON Schema of \'type: "object"\'.';
    if (type === undefined && $ref === undefined && anyOf === undefined) return `${at}, schema must have a 'type' key.`;
    const refused = OPENAI_REFUSES.find((keyword) => Object.hasOwn(schema, keyword));
    if (refused !== undefined) return `${at}, '${refused}' is not permitted.`;
    if (type === 'array' && items === undefined) return `${at}, array schema missing items.`;
    const names = Object.keys(schema.properties ?? {});
    if (type === 'object') {
      if (additionalProperties !== false)
        return `${at}, 'additionalProperties' is required to be supplied and to be false.`;
      const missing = names.find((name) => !Array.isArray(required) || !required.includes(name));
      if (missing !== undefined)
        return `${at}, 'required' is required to include every key in properties. Missing '${missing}'.`;
    }
    properties += names.length;
    values += (listed as unknown[]).length;
    length += [...names, ...(listed as unknown[])].join('').length;
    if (depth > 10) return 'Expected at most 10 levels of nesting.';
  }
  if (properties > 5_000) return `Expected at most 5000 object properties in total, but received ${properties}.`;
  if (values > 1_000) return `Expected at most 1000 enum values in total, but received ${values}.`;
  return length > 120_000
    ? `Expected at most 120000 characters of names and values, but received ${length}.`
    : undefined;
}

const ANTHROPIC_REFUSES = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems'],
  ...['oneOf', 'not', 'if', 'patternProperties', 'uniqueItems', 'prefixItems', 'propertyNames'],
];

/** Why Anthropic refuses a schema; `undefined` if it accepts it. */
export function anthropicSchemaFault(root: unknown): string | undefined {
  let [optional, unions] = [0, 0];
  for (const { schema, path } of partsOf(root)) {
    const { type, properties = {}, required = [], additionalProperties, enum: listed, anyOf, $ref } = schema;
    const at = `In ${path.join('.') || 'the schema'}`;
    const refused = ANTHROPIC_REFUSES.find((keyword) => Object.hasOwn(schema, keyword));
    if (refused !== undefined) return `${at}: '${refused}' is not supported.`;
    if ($ref !== undefined && !`${$ref}`.startsWith('#')) return `${at}: external references are not supported.`;
    if (type === 'object' && additionalProperties !== false) return `${at}: 'additionalProperties' must be false.`;
    if (Array.isArray(listed) && listed.some((value) => typeof value === 'object' && value !== null))
      return `${at}: enums of objects are not supported.`;
    optional += Object.keys(properties as object).filter((name) => !(required as string[]).includes(name)).length;
    if (Array.isArray(anyOf) || Array.isArray(type)) unions++;
  }
  if (optional > 24) return `Schemas have too many optional parameters (${optional}). The limit is 24.`;
  return unions > 16 ? `Schemas have too many parameters with union types (${unions}). The limit is 16.` : undefined;
}

const GEMINI_KNOWS = [
  ...['type', 'description', 'enum', 'properties', 'required', 'items', 'anyOf', 'nullable', 'format', 'title'],
  ...['minItems', 'maxItems', 'minimum', 'maximum', 'propertyOrdering', 'additionalProperties'],
];

/** Why Gemini refuses a schema; `undefined` if it accepts it. */
export function geminiSchemaFault(root: unknown): string | undefined {
  for (const { schema, path } of partsOf(root)) {
    const at = `At ${path.join('.') || 'the schema'}`;
    const unknown = Object.keys(schema).find((keyword) => !GEMINI_KNOWS.includes(keyword));
    if (unknown !== undefined) return `${at}: Unknown name "${unknown}".`;
    const { type, anyOf, enum: values, properties, items } = schema;
    if (Array.isArray(type)) return `${at}: Proto field is not repeating, cannot start list.`;
    if (type === undefined && anyOf === undefined) return `${at}: type must be specified.`;
    if (values !== undefined && type !== 'string') return `${at}: enum: only allowed for STRING type.`;
    if (Array.isArray(values) && (values.includes('') || values.length === 0)) return `${at}: enum: cannot be empty.`;
    if (type === 'object' && Object.keys(properties ?? {}).length === 0)
      return `${at}: properties: should be non-empty for OBJECT type.`;
    if (type === 'array' && items === undefined) return `${at}: items: missing field.`;
  }
  return undefined;
}
