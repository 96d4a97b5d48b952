/** A schema in a JSON Schema. */
export interface SchemaNode {
  readonly schema: Readonly<Record<string, unknown>>;
  /** How to get there, as OpenAI writes it. */
  readonly path: readonly string[];
  /** 1 for the root; one more in each property and item. */
  readonly level: number;
}

/** All schemas in a JSON Schema, the outer ones first. What is no schema where one must be stands as `{}`. */
export function schemaNodes(schema: unknown, path: readonly string[] = [], level = 1): SchemaNode[] {
  const isSchema = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  const node = { schema: isSchema ? (schema as SchemaNode['schema']) : {}, path, level };
  const { properties, items, anyOf, oneOf, allOf, $defs, definitions } = node.schema;
  return [
    node,
    ...entriesOf(properties).flatMap(([name, one]) => schemaNodes(one, [...path, 'properties', name], level + 1)),
    ...(items === undefined ? [] : schemaNodes(items, [...path, 'items'], level + 1)),
    ...[anyOf, oneOf, allOf].flatMap((branches) =>
      entriesOf(branches).flatMap(([index, one]) => schemaNodes(one, [...path, 'anyOf', index], level)),
    ),
    ...[$defs, definitions].flatMap((named) =>
      entriesOf(named).flatMap(([name, one]) => schemaNodes(one, [...path, '$defs', name], level)),
    ),
  ];
}

/** The properties of a schema, by name. */
export function propertiesOf({ properties }: SchemaNode['schema']): readonly (readonly [string, unknown])[] {
  return entriesOf(properties);
}

/** The first keyword that is not one of these. */
export function otherKeyword(schema: SchemaNode['schema'], known: ReadonlySet<string>): string | undefined {
  return Object.keys(schema).find((keyword) => schema[keyword] !== undefined && !known.has(keyword));
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
