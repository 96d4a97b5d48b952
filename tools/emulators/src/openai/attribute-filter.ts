import { z } from 'zod';

/** The attributes of a file in a vector store. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

const comparison = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['eq', 'ne']),
    key: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]),
  }),
  z.strictObject({
    type: z.enum(['gt', 'gte', 'lt', 'lte']),
    key: z.string(),
    // The API does not document ranges of strings.
    value: z.number(),
  }),
  z.strictObject({
    type: z.enum(['in', 'nin']),
    key: z.string(),
    value: z.array(z.union([z.string(), z.number()])).min(1),
  }),
]);

export type AttributeFilter =
  | z.infer<typeof comparison>
  | { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] };

/** A filter over attributes. */
export const attributeFilter: z.ZodType<AttributeFilter> = z.lazy(() =>
  z.union([comparison, z.strictObject({ type: z.enum(['and', 'or']), filters: z.array(attributeFilter).min(1) })]),
);

/** Whether attributes match a filter. A comparison with a missing attribute or one of another type is always false. */
export function passes(filter: AttributeFilter, attributes: Attributes): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((one) => passes(one, attributes));
    case 'or':
      return filter.filters.some((one) => passes(one, attributes));
    default:
      return Object.hasOwn(attributes, filter.key) && compares(filter, attributes[filter.key] as string | number);
  }
}

function compares(filter: z.infer<typeof comparison>, attribute: string | number): boolean {
  switch (filter.type) {
    case 'eq':
      return attribute === filter.value;
    case 'ne':
      return attribute !== filter.value;
    case 'in':
      return filter.value.includes(attribute);
    case 'nin':
      return !filter.value.includes(attribute);
    default:
      return typeof attribute === 'number' && IN_RANGE[filter.type](attribute, filter.value);
  }
}

const IN_RANGE = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
};
