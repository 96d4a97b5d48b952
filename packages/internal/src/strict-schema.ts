import { isObject } from './is-object.ts';
import { strictObject } from './strict-object.ts';

type Schema = Record<string, unknown>;

/* The strictest limit of a service, of those that publish one: OpenAI for the levels, Anthropic for the unions. */
const MAX_LEVELS = 10;
const MAX_UNIONS = 16;
/** The number of schemas in a schema and of values in its lists. A profile has at most 100 fields. */
const MAX_SIZE = 1_000;
/** The length of the whole as JSON. It is part of every request. */
const MAX_CHARACTERS = 15_000;
const NAME = /^[\w.-]{1,64}$/;
const MAX_VALUES = 250;

/** Keywords for names or places that a schema does not list. */
const OPEN = ['patternProperties', 'propertyNames', 'prefixItems', 'unevaluatedProperties', 'unevaluatedItems'];

/**
 * Translates a JSON Schema into one that the strict modes of OpenAI, Gemini and Anthropic accept. It uses only `type`,
 * `description`, `enum`, `properties`, `required`, `additionalProperties: false`, `items` and `anyOf`. Every property is
 * required, and an optional one is nullable. Restrictions of a type, such as a pattern or a minimum, are left out, so an
 * answer must still be checked.
 *
 * @returns `undefined` if the schema can't be expressed: a dictionary, a tuple, recursion, anything, or a schema over a limit.
 */
export function strictSchema<Given extends object>(schema: Given): Given | undefined {
  try {
    const strict = new Translation(schema).translate(schema, 1, []);
    const isWhole = strict.type === 'object' && JSON.stringify(strict).length <= MAX_CHARACTERS;
    return isWhole ? (strict as Given) : undefined;
  } catch (error) {
    if (error instanceof NotExpressible) return undefined;
    throw error;
  }
}

class NotExpressible extends Error {}

function expressible(condition: unknown): asserts condition {
  if (!condition) throw new NotExpressible();
}

class Translation {
  readonly #root: object;
  #size = 0;
  #unions = 0;

  constructor(root: object) {
    this.#root = root;
  }

  /** @param within - The schemas that references led to. */
  translate(schema: unknown, level: number, within: readonly unknown[]): Schema {
    expressible(isObject(schema));
    this.#count(1);
    expressible(level <= MAX_LEVELS && OPEN.every((name) => schema[name] === undefined));
    const { $ref, allOf, anyOf = schema.oneOf, type, description } = schema;
    const described = typeof description === 'string' && description !== '' ? { description } : {};
    if ($ref !== undefined) {
      const target = this.#targetOf($ref);
      expressible(isObject(target) && !within.includes(target));
      return this.translate({ ...target, ...described }, level, [...within, target]);
    }
    if (allOf !== undefined) {
      expressible(Array.isArray(allOf) && allOf.length === 1 && schema.properties === undefined);
      return this.translate({ ...schema, ...allOf[0], ...described, allOf: undefined }, level, within);
    }
    if (anyOf !== undefined) {
      expressible(Array.isArray(anyOf) && schema.properties === undefined);
      const typed = anyOf.map((one) => (type !== undefined && isObject(one) ? { type, ...one } : one));
      return this.#union(
        typed.map((one) => this.translate(one, level, within)),
        described,
      );
    }
    const values = 'const' in schema ? [schema.const] : schema.enum;
    if (values !== undefined) return this.#union(this.#typesOfValues(values), described);
    const types: unknown[] = Array.isArray(type) ? type : [type ?? impliedType(schema)];
    return this.#union(
      types.map((one) => this.#ofType(one, schema, level, within)),
      described,
    );
  }

  #ofType(type: unknown, schema: Schema, level: number, within: readonly unknown[]): Schema {
    if (type === 'object') return this.#object(schema, level, within);
    if (type === 'array') return { type, items: this.translate(schema.items, level + 1, within) };
    expressible(['string', 'number', 'integer', 'boolean', 'null'].includes(type as string));
    return { type };
  }

  #object({ properties, required, additionalProperties }: Schema, level: number, within: readonly unknown[]): Schema {
    expressible(
      isObject(properties) && !(isObject(additionalProperties) && Object.keys(additionalProperties).length > 0),
    );
    const names = Object.keys(properties);
    expressible(names.length > 0 && names.every((name) => NAME.test(name)));
    const translated = names.map((name): [string, Schema] => {
      const property = this.translate(properties[name], level + 1, within);
      const isRequired = Array.isArray(required) && required.includes(name);
      return [name, isRequired ? property : this.#union([property, { type: 'null' }], {})];
    });
    return strictObject(Object.fromEntries(translated));
  }

  /** The schemas of values. Only texts can be listed everywhere. */
  #typesOfValues(values: unknown): Schema[] {
    expressible(Array.isArray(values) && values.length > 0);
    this.#count(values.length);
    const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
    const numbers = values.filter((value) => typeof value === 'number');
    const others = values.filter((value) => typeof value === 'boolean' || value === null);
    expressible(texts.length <= MAX_VALUES && values.every((value) => typeof value !== 'object' || value === null));
    const isListable = texts.every((text) => text !== '');
    return [
      ...(texts.length > 0 ? [{ type: 'string', ...(isListable && { enum: texts }) }] : []),
      ...(numbers.length > 0 ? [{ type: numbers.every(Number.isInteger) ? 'integer' : 'number' }] : []),
      ...others.map((value) => ({ type: value === null ? 'null' : 'boolean' })),
    ];
  }

  #union(schemas: readonly Schema[], described: { readonly description?: string }): Schema {
    const outer = schemas.find(({ anyOf }) => anyOf !== undefined);
    const all = schemas.flatMap((schema) => (schema.anyOf as Schema[] | undefined) ?? [schema]);
    const branches = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
    const [only] = branches;
    expressible(only);
    if (branches.length === 1) return { ...only, ...described };
    expressible(areTold(branches));
    if (outer === undefined) expressible(++this.#unions <= MAX_UNIONS);
    const { description } = { ...outer, ...described };
    return { ...(description !== undefined && { description }), anyOf: branches };
  }

  #targetOf(ref: unknown): unknown {
    expressible(typeof ref === 'string' && (ref === '#' || ref.startsWith('#/')));
    let target: unknown = this.#root;
    for (const part of ref.split('/').slice(1)) {
      const name = decodedPart(part);
      expressible(typeof target === 'object' && target !== null && Object.hasOwn(target, name));
      target = (target as Schema)[name];
    }
    return target;
  }

  #count(more: number): void {
    this.#size += more;
    expressible(this.#size <= MAX_SIZE);
  }
}

function impliedType({ properties, items }: Schema): string | undefined {
  if (properties !== undefined) return 'object';
  return items === undefined ? undefined : 'array';
}

/** Whether the first property of each object tells it from the others: by its name, or by its listed values. */
function areTold(branches: readonly Schema[]): boolean {
  const seen = new Map<string, unknown[]>();
  return branches
    .filter(({ type }) => type === 'object')
    .every(({ properties }) => {
      const [[name, first] = ['']] = Object.entries(properties as Record<string, Schema>);
      const before = seen.get(name);
      const values = Array.isArray(first?.enum) ? first.enum : [];
      seen.set(name, [...values, ...(before ?? [])]);
      const areListed = values.length > 0 && before !== undefined && before.length > 0;
      return before === undefined || (areListed && !values.some((value) => before.includes(value)));
    });
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    throw new NotExpressible();
  }
}
