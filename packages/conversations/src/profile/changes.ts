import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject, strictObject, strictSchema, withoutStrictNulls } from '@keepsake/internal';

/** A field of a profile that changes as a whole. */
interface Field {
  readonly path: readonly string[];
  readonly schema: JsonObject;
}

/** The field with the list. */
export const CHANGES = 'changes';

/**
 * A list of changes, `{ "changes": [{ "field": "address.city", "value": "Lisbon" }] }`, as the answer of a model that follows
 * schemas: an object with a property for each field would have to name all of them each time.
 */
export class ProfileChanges {
  /** The JSON Schema of the answer, which providers of models accept as strict. */
  readonly schema: JsonObject;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #profile: JsonObject;

  private constructor(schema: JsonObject, fields: ReadonlyMap<string, Field>, profile: JsonObject) {
    this.schema = schema;
    this.#fields = fields;
    this.#profile = profile;
  }

  /**
   * @param profile - The fields as JSON Schema.
   * @param removes - Whether a change may remove a field.
   * @returns `undefined` for schemas that can't be strict, and for names that can't be told apart.
   */
  static of(profile: JsonObject, removes: boolean): ProfileChanges | undefined {
    const all = fieldsOf(profile, []);
    const fields = new Map(all.map((field) => [field.path.join('.'), field]));
    if (fields.size === 0 || fields.size < all.length || isObject(profile.properties) === false) return undefined;
    if (Object.hasOwn(profile.properties as object, CHANGES)) return undefined;
    const byValue = new Map<string, { readonly names: string[]; readonly value: JsonValue }>();
    for (const [name, { schema }] of fields) {
      const { $defs, definitions } = profile;
      const strict = strictSchema({ ...strictObject({ value: schema }), $defs, definitions });
      const value = (strict?.properties as JsonObject | undefined)?.value;
      if (value === undefined) return undefined;
      // The prompt has the descriptions.
      const { description: _, ...plain } = value as JsonObject;
      const group = byValue.get(JSON.stringify(plain)) ?? { names: [], value: plain };
      group.names.push(name);
      byValue.set(JSON.stringify(plain), group);
    }
    const changes = [...byValue.values()].map(({ names, value }) => change(names, value));
    // OpenAI tells the objects of a union apart by their first properties.
    if (removes) changes.push(strictObject({ value: { type: 'null' }, field: named([...fields.keys()]) }));
    const [only, ...others] = changes;
    const items = others.length === 0 ? (only as JsonObject) : { anyOf: changes };
    const schema = strictSchema(strictObject({ [CHANGES]: { type: 'array', items } })) as JsonObject | undefined;
    return schema && new ProfileChanges(schema, fields, profile);
  }

  /**
   * What a list changes, as JSON Merge Patch (RFC 7396); `undefined` if no entry of it can be read. An entry may also be an object of
   * fields and their values.
   *
   * @param isWhole - Whether the list is the whole profile, so that an entry that can't be read would be forgotten.
   */
  patchOf(changes: readonly unknown[], isWhole: boolean): JsonObject | undefined {
    const read = changes.map((change) => this.#valuesOf(change));
    if (isWhole ? read.includes(undefined) : read.length > 0 && read.every((values) => values === undefined)) {
      return undefined;
    }
    const patch: Record<string, JsonValue> = {};
    for (const [name, value] of read.flatMap((values = []) => values)) {
      const { path, schema } = this.#fields.get(name) ?? { path: [name], schema: {} };
      setAt(patch, path, withoutStrictNulls(value, schema, this.#profile) as JsonValue);
    }
    return patch;
  }

  #valuesOf(change: unknown): (readonly [field: string, value: JsonValue])[] | undefined {
    if (!isObject<JsonValue>(change)) return undefined;
    if (typeof change.field === 'string' && change.value !== undefined) return [[change.field, change.value]];
    const values = Object.entries(change);
    const isKnown = (name: string) =>
      this.#fields.has(name) || Object.hasOwn(this.#profile.properties as JsonObject, name);
    return values.length > 0 && values.every(([name]) => isKnown(name)) ? values : undefined;
  }
}

function change(names: readonly string[], value: JsonValue): JsonObject {
  return strictObject({ field: named(names), value });
}

function named(names: readonly string[]): JsonObject {
  return { type: 'string', enum: [...names] };
}

/** The fields that change as a whole: an object of known fields changes one by one. */
function fieldsOf(schema: JsonObject, path: readonly string[]): Field[] {
  const { properties } = schema;
  if (!isObject<JsonObject>(properties)) return [{ path, schema }];
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && isObject(property.properties) && Object.keys(property.properties).length > 0
      ? fieldsOf(property, [...path, name])
      : [{ path: [...path, name], schema: property }],
  );
}

function setAt(target: Record<string, JsonValue>, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (name === undefined) return;
  const own = Object.hasOwn(target, name) ? target[name] : undefined;
  const inner = rest.length === 0 ? value : { ...(isObject<JsonValue>(own) ? own : {}) };
  if (rest.length > 0) setAt(inner as Record<string, JsonValue>, rest, value);
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(target, name, { value: inner, enumerable: true, writable: true, configurable: true });
}
