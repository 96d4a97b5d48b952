import type { JsonObject, JsonValue } from '@keepsake/core';
import { expect, expectWhole } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';

/** A model does not read more entries than this. */
const MAX_ENTRIES = 100;

/** The input fields of the tools. */
const FIELDS = {
  key: { type: 'string', description: 'A short name to find it by, such as favorite_color' },
  content: { type: 'string', description: 'What to remember, in full sentences' },
  source: { type: 'string', description: 'Where it comes from' },
  query: { type: 'string', description: 'What to look for, in plain words' },
  top_k: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES, description: 'The maximum number. Default 5' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES, description: 'The maximum number. Default 20' },
} as const satisfies JsonObject;

export type Field = keyof typeof FIELDS | 'pool';

/** JSON Schema of a tool's input. Other fields are ignored. */
export function inputSchema(
  required: readonly Field[],
  optional: readonly Field[],
  pools: readonly string[],
): JsonObject {
  const pool = { type: 'string', description: pools.length > 0 ? `One of: ${pools.join(', ')}` : 'Its name' };
  const fields: Readonly<Record<string, JsonObject>> = { ...FIELDS, pool };
  const properties = Object.fromEntries([...required, ...optional].map((name) => [name, fields[name] as JsonObject]));
  return { type: 'object', properties, required: [...required] };
}

/** The input of a call. It never contains a scope: other fields that a model sends are ignored. */
export class ToolInput {
  readonly #fields: JsonObject;

  constructor(input: JsonValue) {
    expect(isObject(input), 'The input must be an object.');
    this.#fields = input;
  }

  text(name: Field): string {
    const value = this.#valueOf(name);
    expect(typeof value === 'string' && value.trim() !== '', `${name} must be a non-blank string.`);
    return value;
  }

  optionalText(name: Field): string | undefined {
    return this.#valueOf(name) === undefined ? undefined : this.text(name);
  }

  count(name: Field, byDefault: number): number {
    const value = this.#valueOf(name) ?? byDefault;
    expectWhole(value, name, 1, MAX_ENTRIES);
    return value;
  }

  /** `null` means "not given", because some models must fill in all fields. */
  #valueOf(name: Field): JsonValue | undefined {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }
}
