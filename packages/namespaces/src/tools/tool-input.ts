import type { JsonObject, JsonValue } from '@keepsake/core';
import { expect } from '../guards/expect.ts';

/** So many entries are more than a model reads. */
const MAX_ENTRIES = 100;

/** What a tool can be given. */
const FIELDS = {
  key: { type: 'string', description: 'A short name to find it by, such as favorite_color' },
  content: { type: 'string', description: 'What to remember, in full sentences' },
  source: { type: 'string', description: 'Where it comes from' },
  query: { type: 'string', description: 'What to look for, in plain words' },
  top_k: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES, description: 'At most so many. Default 5' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES, description: 'At most so many. Default 20' },
} as const satisfies JsonObject;

export type Field = keyof typeof FIELDS | 'pool';

/** JSON Schema of a tool's input. Other fields are not refused, and nobody looks at them. */
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

/** The input of a call. A scope is no part of it: what else a model sends says nothing. */
export class ToolInput {
  readonly #fields: JsonObject;

  constructor(input: JsonValue) {
    const isFields = typeof input === 'object' && input !== null && !Array.isArray(input);
    expect(isFields, 'The input is to be an object.');
    this.#fields = input;
  }

  text(name: Field): string {
    const value = this.#given(name);
    expect(typeof value === 'string' && value.trim() !== '', `${name} is to be a text that is not blank.`);
    return value;
  }

  optionalText(name: Field): string | undefined {
    return this.#given(name) === undefined ? undefined : this.text(name);
  }

  count(name: Field, byDefault: number): number {
    const value = this.#given(name) ?? byDefault;
    const isCount = Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ENTRIES;
    expect(isCount, `${name} is to be a whole number from 1 to ${MAX_ENTRIES}.`);
    return value as number;
  }

  /** `null` stands for "not given", as models that must fill all fields do it. */
  #given(name: Field): JsonValue | undefined {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }
}
