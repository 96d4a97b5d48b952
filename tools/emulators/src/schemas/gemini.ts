import { otherKeyword, propertiesOf, schemaNodes } from './nodes.ts';

/* https://ai.google.dev/api/caching#Schema, with the names of JSON Schema. The AI SDK sends schemas in this form. */

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'properties', 'required', 'additionalProperties', 'items', 'anyOf'],
  ...['format', 'nullable', 'default', 'example', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern'],
  ...['minimum', 'maximum', 'minProperties', 'maxProperties', 'propertyOrdering'],
]);
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Why Gemini refuses a JSON Schema as the form of an answer; `undefined` if it accepts it. */
export function geminiSchemaFault(schema: unknown): string | undefined {
  for (const { schema: one, path } of schemaNodes(schema)) {
    const { type, anyOf, items } = one;
    const at = `response_schema.${path.join('.')}:`;
    const keyword = otherKeyword(one, KEYWORDS);
    if (keyword !== undefined) return `${at} Unknown name "${keyword}".`;
    if (anyOf === undefined && !TYPES.includes(type)) return `${at} must have one type.`;
    if (type === 'object' && propertiesOf(one).length === 0) return `${at} should be non-empty for OBJECT type.`;
    if (type === 'array' && items === undefined) return `${at} missing field items.`;
    if (one.enum === undefined) continue;
    if (type !== 'string') return `${at} enum is only allowed for STRING type.`;
    const isEmpty = (value: unknown) => typeof value !== 'string' || value === '';
    if (!Array.isArray(one.enum) || one.enum.length === 0 || one.enum.some(isEmpty))
      return `${at} enum can't be empty.`;
  }
  return undefined;
}
