/** Why a JSON Schema is not strict, as the API reports it; `undefined` if it is strict. */
export function strictSchemaFault(schema: unknown, path: readonly string[] = [], isRoot = true): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { type, properties, required, additionalProperties, items, anyOf } = schema as Record<string, unknown>;
  const at = `In context=(${path.join(', ')})`;
  if (isRoot && type !== 'object') return 'schema must be a JSON Schema of \'type: "object"\'.';
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    if (additionalProperties !== false)
      return `${at}, 'additionalProperties' is required to be supplied and to be false.`;
    const missing = names.find((name) => !Array.isArray(required) || !required.includes(name));
    if (missing !== undefined)
      return `${at}, 'required' is required to include every key in properties. Missing '${missing}'.`;
  }
  if (type === 'array' && items === undefined) return `${at}, array schema missing items.`;
  const children: [string, unknown][] = [
    ...Object.entries((properties as object | undefined) ?? {}).map(([name, one]) => [name, one] as [string, unknown]),
    ...(items === undefined ? [] : [['items', items] as [string, unknown]]),
    ...(Array.isArray(anyOf) ? anyOf.map((one, index) => [`${index}`, one] as [string, unknown]) : []),
  ];
  for (const [name, child] of children) {
    const fault = strictSchemaFault(child, [...path, name], false);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
