import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/** A schema of Zod, Valibot, ArkType or any other library that follows Standard Schema (https://standardschema.dev). */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
}

type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The path of an issue. */
export function issuePath({ path = [] }: SchemaIssue): string[] {
  return path.map((part) => String(typeof part === 'object' ? part.key : part));
}

/** A schema's fields, by Standard JSON Schema or the library's own API. */
interface SelfDescribing {
  readonly '~standard': { readonly jsonSchema?: { input?(options: { readonly target: string }): unknown } };
  toJsonSchema?(): unknown;
  /** Of Valibot. */
  readonly entries?: unknown;
}

/** The JSON Schema of a schema's input; only the field names if that is all it tells, or `undefined`. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  const described = schema as SelfDescribing;
  for (const describe of [
    () => described['~standard'].jsonSchema?.input?.({ target: 'draft-2020-12' }),
    () => described.toJsonSchema?.(),
  ]) {
    const json = tried(describe);
    if (isObject(json)) return JSON.parse(JSON.stringify(json)) as JsonObject;
  }
  if (typeof described.entries !== 'object' || described.entries === null) return undefined;
  const names = Object.keys(described.entries);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    additionalProperties: false,
  };
}

/** Throws for schemas that JSON Schema can't express. */
function tried(describe: () => unknown): unknown {
  try {
    return describe();
  } catch {
    return undefined;
  }
}
