import { MemoryError } from './errors.ts';
import { expect, expectWhole } from './expect.ts';
import type { SearchOptions } from './memory-store.ts';
import type { StoreIdentity } from './record-store.ts';

/** How many entries a search gives where neither the caller nor the store says. */
const DEFAULT_SEARCH_RESULTS = 10;

/** Control characters, lone surrogates, and what breaks lines or turns the direction of text. */
const HOSTILE = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

/**
 * Checks how a store presents itself, for the constructors of adapters, and leaves out what is `undefined`.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a name that is blank, over 128 characters or holds control characters, a
 *   description over 4,096 characters, or a limit that is no whole number of 1 or more, or `writable` that is no boolean.
 */
export function checkIdentity<T extends Partial<StoreIdentity>>(identity: T): Partial<StoreIdentity> {
  const { name, description, maxSearchResults, writable, extraction } = identity;
  expect(
    name === undefined || (typeof name === 'string' && name.trim() !== '' && name.length <= 128 && !HOSTILE.test(name)),
    'name is to be a text that is not blank, of up to 128 characters and no control characters.',
  );
  expect(
    description === undefined || (typeof description === 'string' && description.length <= 4096),
    'description is to be a text of up to 4096 characters.',
  );
  if (maxSearchResults !== undefined) expectWhole(maxSearchResults, 'maxSearchResults', 1);
  // Not taken for true or false: a store for reading that takes writes is worse than an error.
  expect(writable === undefined || typeof writable === 'boolean', 'writable is to be true or false.');
  const given = { name, description, maxSearchResults, writable, extraction };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** How many entries a search is to give: the call's limit, else the store's, else 10. */
export function searchLimit(store: { readonly maxSearchResults?: number }, options: SearchOptions | undefined): number {
  const { maxSearchResults, minScore } = options ?? {};
  expect(minScore === undefined || Number.isFinite(minScore), 'minScore is to be a finite number.');
  if (maxSearchResults !== undefined) expectWhole(maxSearchResults, 'maxSearchResults', 1);
  return maxSearchResults ?? store.maxSearchResults ?? DEFAULT_SEARCH_RESULTS;
}

/** Throws unless `ifVersion` is missing or a whole number of 0 or more. */
export function checkIfVersion(ifVersion: number | undefined): void {
  if (ifVersion !== undefined) expectWhole(ifVersion, 'ifVersion', 0);
}

/** Throws `CONFLICT` unless a record has the version that a caller wants to change; 0 stands for "not there". */
export function expectVersion(ifVersion: number | undefined, version: number): void {
  if (ifVersion === undefined || ifVersion === version) return;
  throw new MemoryError(
    'CONFLICT',
    `The record is of version ${version}, not ${ifVersion} (0 = not there). Read it again.`,
  );
}

/** Throws `ABORTED` once the caller's signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new MemoryError('ABORTED', 'The caller aborted this call.', { cause: signal.reason });
}
