import { otherKeyword, propertiesOf, schemaNodes } from './nodes.ts';

/* https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items'],
  ...['anyOf', 'allOf', '$ref', '$defs', 'definitions', 'format', 'default', 'minItems'],
]);
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;

/** Why the Claude API refuses a JSON Schema for structured outputs; `undefined` if it accepts it. */
export function anthropicSchemaFault(schema: unknown): string | undefined {
  const nodes = schemaNodes(schema);
  for (const { schema, path } of nodes) {
    const { type, additionalProperties, minItems = 0 } = schema;
    const at = `${path.join('.') || 'schema'}:`;
    const keyword = otherKeyword(schema, KEYWORDS);
    if (keyword !== undefined) return `${at} '${keyword}' is not supported.`;
    if (type === 'object' && additionalProperties !== false)
      return `${at} For 'object' type, 'additionalProperties' must be explicitly set to false.`;
    if (minItems !== 0 && minItems !== 1) return `${at} 'minItems' must be 0 or 1.`;
    if (Array.isArray(schema.enum) && schema.enum.some((value) => typeof value === 'object' && value !== null))
      return `${at} Complex types in 'enum' are not supported.`;
    if (schema.$ref !== undefined && !isLocal(schema.$ref)) return `${at} External '$ref' is not supported.`;
  }
  const unions = nodes.filter(({ schema }) => Array.isArray(schema.anyOf) || Array.isArray(schema.type)).length;
  if (unions > MAX_UNIONS) return `${unions} parameters with union types exceeds limit of ${MAX_UNIONS}.`;
  const optional = nodes.flatMap(({ schema }) =>
    propertiesOf(schema).filter(([name]) => !(Array.isArray(schema.required) && schema.required.includes(name))),
  ).length;
  return optional > MAX_OPTIONAL ? `${optional} optional parameters exceeds limit of ${MAX_OPTIONAL}.` : undefined;
}

function isLocal(ref: unknown): boolean {
  // A reference to the root is recursion.
  return typeof ref === 'string' && /^#\/(\$defs|definitions)\//.test(ref);
}
