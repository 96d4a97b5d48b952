import { withoutUndefined } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { expect, expectWhole } from '../common/expect.ts';
import type { SearchOptions } from './memory-store.ts';
import type { StoreIdentity } from './record-store.ts';

/** The default number of search results. */
const DEFAULT_SEARCH_RESULTS = 10;

/** Control characters, lone surrogates, line separators and direction changes. */
const HOSTILE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

type IdentityOptions = { readonly [Field in keyof StoreIdentity]?: StoreIdentity[Field] | undefined };

/**
 * Checks the identity of a store, for the constructors of adapters. Leaves out `undefined` fields.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a name that is blank, over 128 characters or has control characters, a
 *   description over 4,096 characters, a limit that is not a whole number ≥ 1, or a `writable` that is not a boolean.
 */
export function checkIdentity(identity: IdentityOptions): Partial<StoreIdentity> {
  const { name, description, maxSearchResults, writable, extraction } = identity;
  expect(
    name === undefined || (typeof name === 'string' && name.trim() !== '' && name.length <= 128 && !HOSTILE.test(name)),
    'name must be a text that is not blank, of up to 128 characters and no control characters.',
  );
  expect(
    description === undefined || (typeof description === 'string' && description.length <= 4096),
    'description must be a text of up to 4096 characters.',
  );
  if (maxSearchResults !== undefined) expectWhole(maxSearchResults, 'maxSearchResults', 1);
  // Not coerced: a read-only store that accepts writes is worse than an error.
  expect(writable === undefined || typeof writable === 'boolean', 'writable must be true or false.');
  return withoutUndefined({ name, description, maxSearchResults, writable, extraction });
}

/** The number of search results: the call's limit, else the store's, else 10. */
export function searchLimit(
  store: { readonly maxSearchResults?: number | undefined },
  options: SearchOptions | undefined,
): number {
  const { maxSearchResults, minScore } = options ?? {};
  expect(minScore === undefined || Number.isFinite(minScore), 'minScore must be a finite number.');
  if (maxSearchResults !== undefined) expectWhole(maxSearchResults, 'maxSearchResults', 1);
  return maxSearchResults ?? store.maxSearchResults ?? DEFAULT_SEARCH_RESULTS;
}

/** Throws unless `ifVersion` is missing or a whole number of 0 or more. */
export function checkIfVersion(ifVersion: number | undefined): void {
  if (ifVersion !== undefined) expectWhole(ifVersion, 'ifVersion', 0);
}

/** Throws `CONFLICT` unless a record has the expected version; 0 means that it does not exist. */
export function expectVersion(ifVersion: number | undefined, version: number): void {
  if (ifVersion === undefined || ifVersion === version) return;
  throw new MemoryError(
    'CONFLICT',
    `The record has version ${version}, not ${ifVersion} (0 = it does not exist). Read it again.`,
  );
}

/** Throws `ABORTED` if the caller's signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new MemoryError('ABORTED', 'The caller aborted this call.', { cause: signal.reason });
}
