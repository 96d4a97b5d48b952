import { z } from 'zod';
import type { ServiceRequest } from '../http/service.ts';
import { ApiFailure } from './api-failure.ts';
import { check } from './read-body.ts';

/** What a list takes in its query. */
export const listQuery = {
  limit: z.coerce.number().int().min(1).max(100).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  after: z.string().optional(),
};

const plainQuery = z.strictObject(listQuery);

/** One page of things with ids that are in the order of their creation: the newest first unless the query says `asc`. */
export function listPage<T extends { readonly id: string }>(
  all: readonly T[],
  { query }: ServiceRequest,
  schema: z.ZodType<z.infer<typeof plainQuery>> = plainQuery,
) {
  const { limit = 20, order = 'desc', after } = check(schema, Object.fromEntries(query));
  const ordered = order === 'asc' ? all : all.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  // A cursor that was deleted meanwhile leads nowhere.
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
