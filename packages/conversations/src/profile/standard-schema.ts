import type { JsonObject } from '@keepsake/core';
import { isJsonObject } from '../summary/json-answer.ts';

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

/** Where a schema's issues are: paths and nothing else, since messages may quote what they found. */
export function issuePaths(issues: readonly SchemaIssue[]): string {
  const paths = issues.map(({ path = [] }) =>
    path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
  );
  return [...new Set(paths)].map((path) => path || '(all of it)').join(', ');
}

/** What a schema can tell of its fields, by Standard JSON Schema or as its library does. */
interface SelfDescribing {
  readonly '~standard': { readonly jsonSchema?: { input?(options: { readonly target: string }): unknown } };
  toJsonSchema?(): unknown;
  /** Of Valibot. */
  readonly entries?: unknown;
}

/** The JSON Schema of what a schema takes; of its names alone where it can't tell more, `undefined` where not even that. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  const described = schema as SelfDescribing;
  for (const describe of [
    () => described['~standard'].jsonSchema?.input?.({ target: 'draft-2020-12' }),
    () => described.toJsonSchema?.(),
  ]) {
    const json = tried(describe);
    if (isJsonObject(json)) return JSON.parse(JSON.stringify(json)) as JsonObject;
  }
  if (typeof described.entries !== 'object' || described.entries === null) return undefined;
  const names = Object.keys(described.entries);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    additionalProperties: false,
  };
}

/** Schemas may hold what JSON Schema has no words for, and throw then. */
function tried(describe: () => unknown): unknown {
  try {
    return describe();
  } catch {
    return undefined;
  }
}
