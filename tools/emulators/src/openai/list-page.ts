import { z } from 'zod';
import type { ServiceRequest } from '../http/service.ts';
import { ApiFailure } from './api-failure.ts';
import { check } from './read-body.ts';

/** The query parameters of a list. */
export const listQuery = {
  limit: z.coerce.number().int().min(1).max(100).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  after: z.string().optional(),
};

const plainQuery = z.strictObject(listQuery);

/** One page of objects in creation order, newest first unless the query asks for `asc`. */
export function listPage<T extends { readonly id: string }>(
  all: readonly T[],
  { query }: ServiceRequest,
  schema: z.ZodType<z.infer<typeof plainQuery>> = plainQuery,
) {
  const { limit = 20, order = 'desc', after } = check(schema, Object.fromEntries(query));
  const ordered = order === 'asc' ? all : all.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  // The item of the cursor was deleted.
  if (after !== undefined && start === 0)
    throw new ApiFailure(404, `No object found with id '${after}'.`, null, 'after');
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}
