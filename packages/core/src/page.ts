import { fromBase64, toBase64 } from './base64.ts';
import { expect, expectWhole } from './expect.ts';

/** One page of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it as `cursor` to go on; missing on the last page. Opaque, and valid for lists of the same options only. */
  readonly cursor?: string;
}

/** Which page of a list to give. */
export interface PageOptions {
  /** At most so many items: 1 to 1,000, by default 100. */
  readonly limit?: number;
  /** The cursor of the page before. */
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** The limit of a page, checked; `INVALID_ARGUMENT` unless it is a whole number from 1 to 1,000. */
export function pageLimit(options: PageOptions | undefined): number {
  const limit = options?.limit ?? DEFAULT_LIMIT;
  expectWhole(limit, 'limit', 1, MAX_LIMIT);
  return limit;
}

/** Makes a cursor out of where a page ended: one or more numbers or strings, which {@link readCursor} gives back. */
export function writeCursor(kind: string, position: readonly (string | number)[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify([kind, ...position]));
  return toBase64(bytes).replace(/[+/=]/g, (c) => ({ '+': '-', '/': '_' })[c] ?? '');
}

/**
 * Reads a cursor of {@link writeCursor}. `types` says what its parts are to be.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for anything else, also for a cursor of another `kind` of list.
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
  expect(valid, 'This cursor was not made by a list of these options. Start without one.');
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
