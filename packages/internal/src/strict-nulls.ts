import { isObject } from './is-object.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A value that was made by `strictSchema`, as the given schema wants it: without properties that are null for missing. */
export function withoutStrictNulls(value: unknown, schema: Schema, root: Schema = schema): unknown {
  const { properties, required = [], items, anyOf, oneOf } = dereferenced(schema, root) ?? {};
  if (Array.isArray(value)) return isObject(items) ? value.map((one) => withoutStrictNulls(one, items, root)) : value;
  if (!isObject<unknown>(value)) return value;
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) {
    const fitting = branches.filter(isObject).find((branch) => {
      const names = dereferenced(branch, root)?.properties;
      return isObject(names) && Object.keys(value).every((name) => Object.hasOwn(names, name));
    });
    return fitting === undefined ? value : withoutStrictNulls(value, fitting, root);
  }
  if (!isObject<unknown>(properties)) return value;
  const isMissing = (name: string) => value[name] === null && !(required as string[]).includes(name);
  const kept = Object.entries(value).filter(([name]) => !isMissing(name) || !Object.hasOwn(properties, name));
  return Object.fromEntries(
    kept.map(([name, one]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isObject(property) ? withoutStrictNulls(one, property, root) : one];
    }),
  );
}

/** How many references lead from one to the next at most. */
const MAX_STEPS = 10;

/** The schema that a reference within `root` leads to. */
function dereferenced(schema: Schema, root: Schema): Schema | undefined {
  let target: unknown = schema;
  for (let steps = 0; isObject<unknown>(target) && typeof target.$ref === 'string'; steps++) {
    const [start, ...names] = target.$ref.split('/');
    if (start !== '#' || steps === MAX_STEPS) return undefined;
    target = names.reduce<unknown>((at, name) => {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject<unknown>(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }, root);
  }
  return isObject<unknown>(target) ? target : undefined;
}
