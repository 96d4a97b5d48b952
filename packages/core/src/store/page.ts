import { fromBase64, toBase64 } from '@keepsake/internal';
import type { FieldNames } from '../common/check-fields.ts';
import { expect, expectWhole } from '../common/expect.ts';

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it as `cursor` to continue; missing on the last page. Opaque, and valid only for lists with the same options. */
  readonly cursor?: string;
}

/** Selects a page of a list. */
export interface PageOptions {
  /** The maximum number of items, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of {@link PageOptions}, for lists that take these options or add their own. */
export const PAGE_OPTIONS: FieldNames<PageOptions> = { limit: true, cursor: true };

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** The checked limit of a page. Throws `INVALID_ARGUMENT` unless it is a whole number from 1 to 1,000. */
export function pageLimit(options: PageOptions | undefined): number {
  const limit = options?.limit ?? DEFAULT_LIMIT;
  expectWhole(limit, 'limit', 1, MAX_LIMIT);
  return limit;
}

/** Encodes the end of a page as a cursor: one or more numbers or strings, which {@link readCursor} returns. */
export function writeCursor(kind: string, position: readonly (string | number)[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify([kind, ...position]));
  return toBase64(bytes).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
}

/**
 * Reads a cursor of {@link writeCursor}. `types` are the expected types of its parts.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for anything else, including a cursor of another `kind` of list.
 */
export function readCursor(
  cursor: string | undefined,
  kind: string,
  types: readonly ('string' | 'number')[],
): (string | number)[] | undefined {
  if (cursor === undefined) return undefined;
  const parts = decode(cursor);
  const valid =
    Array.isArray(parts) &&
    parts.length === types.length + 1 &&
    parts[0] === kind &&
    types.every((type, index) => isPart(parts[index + 1], type));
  expect(valid, 'This cursor is not from a list with these options. Start without a cursor.');
  return parts.slice(1) as (string | number)[];
}

function isPart(part: unknown, type: 'string' | 'number'): boolean {
  // JSON reads 1e999 as Infinity, on which a backend's own query would fail.
  return type === 'number' ? Number.isFinite(part) : typeof part === 'string';
}

function decode(cursor: unknown): unknown {
  try {
    const bytes = fromBase64(String(cursor).replace(/[-_]/g, (c) => (c === '-' ? '+' : '/')));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
