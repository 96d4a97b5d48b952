import { z } from 'zod';

/** A value that an attribute is compared with. */
export interface RetrievalFilter {
  readonly [operator: string]: { readonly key: string; readonly value: Value } | readonly RetrievalFilter[];
}

type Value = string | number | boolean | (string | number)[];

const key = z.string().min(1).max(100);
const one = z.union([z.string(), z.number(), z.boolean()]);
const list = z.array(z.union([z.string(), z.number()])).min(1);
const compared = z.strictObject({ key, value: one });
const number = z.strictObject({ key, value: z.number() });
const text = z.strictObject({ key, value: z.string() });
const among = z.strictObject({ key, value: list });

/** One operator per object; lists have two to five filters, as in earlier versions of the service. */
export const retrievalFilter: z.ZodType<RetrievalFilter> = z.lazy(() =>
  z.union([
    z.strictObject({ equals: compared }),
    z.strictObject({ notEquals: compared }),
    z.strictObject({ greaterThan: number }),
    z.strictObject({ greaterThanOrEquals: number }),
    z.strictObject({ lessThan: number }),
    z.strictObject({ lessThanOrEquals: number }),
    z.strictObject({ in: among }),
    z.strictObject({ notIn: among }),
    z.strictObject({ startsWith: text }),
    z.strictObject({ listContains: text }),
    z.strictObject({ stringContains: text }),
    z.strictObject({ andAll: z.array(retrievalFilter).min(2).max(5) }),
    z.strictObject({ orAll: z.array(retrievalFilter).min(2).max(5) }),
  ]),
);

/** Whether a document with these attributes matches a filter. Values of different types are never equal or ordered. */
export function passesRetrievalFilter(filter: RetrievalFilter, attributes: Readonly<Record<string, unknown>>): boolean {
  const [[operator, operand] = ['', []]] = Object.entries(filter);
  if (Array.isArray(operand)) {
    const passes = (inner: RetrievalFilter) => passesRetrievalFilter(inner, attributes);
    return operator === 'andAll' ? operand.every(passes) : operand.some(passes);
  }
  const { key: name, value } = operand as { key: string; value: Value };
  return compare(operator, Object.hasOwn(attributes, name) ? attributes[name] : undefined, value);
}

function compare(operator: string, attribute: unknown, value: Value): boolean {
  switch (operator) {
    case 'equals':
      return attribute === value;
    // Also if the attribute is missing.
    case 'notEquals':
      return attribute !== value;
    case 'in':
      return (value as unknown[]).includes(attribute);
    case 'notIn':
      return !(value as unknown[]).includes(attribute);
    case 'startsWith':
      return typeof attribute === 'string' && attribute.startsWith(value as string);
    case 'stringContains':
      return [attribute].flat().some((text) => typeof text === 'string' && text.includes(value as string));
    case 'listContains':
      return Array.isArray(attribute) && attribute.includes(value);
    default:
      return typeof attribute === 'number' && inOrder(operator, attribute, value as number);
  }
}

function inOrder(operator: string, attribute: number, value: number): boolean {
  if (operator === 'greaterThan') return attribute > value;
  if (operator === 'greaterThanOrEquals') return attribute >= value;
  return operator === 'lessThan' ? attribute < value : attribute <= value;
}
