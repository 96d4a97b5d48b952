import { isObject } from './is-object.ts';
import { parseJson } from './parse-json.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * What a model gave a tool, as the JSON Schema of the tool has it, where what is meant is plain: models fill in all fields, write
 * lists, numbers and objects as texts, and one value where a list is wanted. Everything else stays as it is, to be refused.
 *
 * @returns Objects without optional fields that are `null` or blank.
 */
export function givenFields(value: unknown, schema: Schema): unknown {
  const { type, items, properties, required = [] } = schema;
  if (type === 'array') {
    const list = typeof value === 'string' && value.trim().startsWith('[') ? parseJson(value) : value;
    const all = Array.isArray(list) ? list : [value];
    return isObject(items) ? all.map((one) => givenFields(one, items)) : all;
  }
  if (type === 'object') {
    const object = typeof value === 'string' ? (parseJson(value) ?? value) : value;
    if (!isObject(object) || !isObject<unknown>(properties)) return object;
    const isMissing = (name: string, field: unknown) =>
      Object.hasOwn(properties, name) && !(required as string[]).includes(name) && isBlank(field);
    return Object.fromEntries(
      Object.entries(object)
        .filter(([name, field]) => field !== null && !isMissing(name, field))
        .map(([name, field]) => {
          const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
          return [name, isObject(own) ? givenFields(field, own) : field];
        }),
    );
  }
  if (typeof value === 'string' && ['integer', 'number', 'boolean'].includes(type as string)) {
    const plain = parseJson(value.trim());
    return typeof plain === (type === 'boolean' ? 'boolean' : 'number') ? plain : value;
  }
  const isPlain = (typeof value === 'number' && Number.isFinite(value)) || typeof value === 'boolean';
  return type === 'string' && isPlain ? String(value) : value;
}

function isBlank(field: unknown): boolean {
  return typeof field === 'string' && field.trim() === '';
}
