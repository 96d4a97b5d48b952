import { otherKeyword, propertiesOf, type SchemaNode, schemaNodes } from './nodes.ts';

/* https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas */

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items'],
  ...['anyOf', '$ref', '$defs', 'definitions', 'pattern', 'format', 'multipleOf', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const MAX_LEVELS = 10;
const MAX_PROPERTIES = 5_000;
const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 120_000;
const LONG_LIST = { values: 250, characters: 15_000 };

/** Why a JSON Schema is not strict, much as the Responses API reports it; `undefined` if it is strict. */
export function openaiSchemaFault(schema: unknown): string | undefined {
  const nodes = schemaNodes(schema);
  const root = nodes[0]?.schema;
  if (root?.type !== 'object' || root.anyOf !== undefined) return 'schema must be a JSON Schema of \'type: "object"\'.';
  for (const node of nodes) {
    const fault = faultOf(node);
    if (fault !== undefined) return `In context=(${node.path.join(', ')}), ${fault}`;
  }
  const levels = Math.max(...nodes.map(({ level }) => level));
  if (levels > MAX_LEVELS) return `${levels} levels of nesting exceeds limit of ${MAX_LEVELS}.`;
  const names = nodes.flatMap((node) => propertiesOf(node.schema).map(([name]) => name));
  if (names.length > MAX_PROPERTIES) return `${names.length} properties exceeds limit of ${MAX_PROPERTIES}.`;
  const values = nodes.flatMap((node) => valuesOf(node));
  if (values.length > MAX_VALUES) return `${values.length} enum values exceeds limit of ${MAX_VALUES}.`;
  return [...names, ...values].join('').length > MAX_CHARACTERS ? 'the names and enum values are too long.' : undefined;
}

function faultOf(node: SchemaNode): string | undefined {
  const { schema } = node;
  const { type, required, additionalProperties, items, anyOf, $ref } = schema;
  const keyword = otherKeyword(schema, KEYWORDS);
  if (keyword !== undefined) return `'${keyword}' is not permitted.`;
  if (type === undefined && anyOf === undefined && $ref === undefined) return "schema must have a 'type' key.";
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('object')) {
    if (additionalProperties !== false) return "'additionalProperties' is required to be supplied and to be false.";
    const missing = propertiesOf(schema).find(([name]) => !(Array.isArray(required) && required.includes(name)));
    if (missing !== undefined)
      return `'required' is required to include every key in properties. Missing '${missing[0]}'.`;
  }
  if (types.includes('array') && items === undefined) return 'array schema missing items.';
  const values = valuesOf(node);
  if (values.length > LONG_LIST.values && values.join('').length > LONG_LIST.characters) return 'enum is too long.';
  return Array.isArray(anyOf) ? firstKeyFault(anyOf) : undefined;
}

/** Objects of a union must differ in the name or the listed values of their first property. */
function firstKeyFault(branches: readonly SchemaNode['schema'][]): string | undefined {
  const objects = branches.filter(({ type }) => type === 'object');
  const keys = objects.flatMap((schema) => {
    const [[name, first] = ['', {}]] = propertiesOf(schema);
    const listed = valuesOf({ schema: first as SchemaNode['schema'], path: [], level: 1 });
    return (listed.length > 0 ? listed : [undefined]).map((value) => ({ name, value }));
  });
  const isShared = keys.some((one, index) =>
    keys.some(
      (other, at) =>
        at !== index &&
        other.name === one.name &&
        (one.value === undefined || other.value === undefined || one.value === other.value),
    ),
  );
  return isShared ? "Objects provided via 'anyOf' must not share identical first keys." : undefined;
}

function valuesOf({ schema }: SchemaNode): string[] {
  return (Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []).map(String);
}
