import type { Filter, FilterValue } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { z } from 'zod';
import { TOKENS } from '../text/token-limits.ts';

type Operator = keyof Exclude<Filter[string], FilterValue>;

const OPERATORS: Readonly<Record<Operator, true>> = {
  ...{ in: true, ne: true, gt: true, gte: true, lt: true, lte: true, exists: true },
};

/** The input fields that select memories. */
export const SELECTION = {
  since: z.string().optional().describe('Only memories created at this time or later: ISO 8601, such as 2026-11-21'),
  until: z
    .string()
    .optional()
    .describe('Only memories created at this time or earlier: ISO 8601, such as 2026-11-21 for all of that day'),
  filter: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      `Metadata that must match, such as {"topic": "travel"} or {"stars": {"gte": 4}}. Operators: ${Object.keys(OPERATORS).join(', ')}`,
    ),
  asOf: z.string().optional().describe('What was known at this time in place of now: ISO 8601 with a zone'),
};

/** The input field that limits the tokens of a result. */
export const MAX_TOKENS = {
  maxTokens: z
    .int()
    .min(TOKENS.least)
    .max(TOKENS.most)
    .optional()
    .describe(`The most tokens to return. Default ${TOKENS.byDefault}`),
};

type Selection = { readonly [Name in keyof typeof SELECTION]?: z.output<(typeof SELECTION)[Name]> | undefined };

/** The filter of a selection, if it has any. The store checks it. */
export function filterOf({ since, until, filter }: Selection): { readonly filter?: Filter } {
  if (since === undefined && until === undefined) return filter === undefined ? {} : { filter: filter as Filter };
  const isFree = filter === undefined || !Object.hasOwn(filter, 'createdAt');
  expect(isFree, 'Pass createdAt in `filter`, or `since` and `until`, not both.');
  const createdAt = { ...(since !== undefined && { gte: since }), ...(until !== undefined && { lte: until }) };
  return { filter: { ...(filter as Filter), createdAt } };
}

/** A count of results. */
export function countOf(max: number, byDefault: number) {
  return z.int().min(1).max(max).optional().describe(`The most memories to return. Default ${byDefault}`);
}

/** An id of a memory. */
export const ID = z.string().min(1).max(512).describe('The id of the memory, as recall and list_memories return it');
