import { MemoryError } from './errors.ts';
import type { SearchOptions } from './memory-store.ts';
import type { StoreIdentity } from './record-store.ts';

/** How many entries a search gives where neither the caller nor the store says. */
const DEFAULT_SEARCH_RESULTS = 10;

/**
 * Checks how a store presents itself, for the constructors of adapters, and leaves out what is `undefined`.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an empty name or a limit that is no whole number of 1 or more.
 */
export function checkIdentity<T extends Partial<StoreIdentity>>(identity: T): Partial<StoreIdentity> {
  const { name, description, maxSearchResults, writable, extraction } = identity;
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      "name is to be a text that is not blank: it tells an agent's stores apart.",
    );
  }
  if (maxSearchResults !== undefined) checkCount(maxSearchResults, 'maxSearchResults');
  const given = { name, description, maxSearchResults, writable, extraction };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** How many entries a search is to give: the call's limit, else the store's, else 10. */
export function searchLimit(store: { readonly maxSearchResults?: number }, options: SearchOptions | undefined): number {
  const { maxSearchResults, minScore } = options ?? {};
  if (minScore !== undefined && !Number.isFinite(minScore)) {
    throw new MemoryError('INVALID_ARGUMENT', 'minScore is to be a finite number.');
  }
  if (maxSearchResults !== undefined) checkCount(maxSearchResults, 'maxSearchResults');
  return maxSearchResults ?? store.maxSearchResults ?? DEFAULT_SEARCH_RESULTS;
}

/** Throws unless `ifVersion` is missing or a whole number of 0 or more. */
export function checkIfVersion(ifVersion: number | undefined): void {
  if (ifVersion === undefined || (Number.isSafeInteger(ifVersion) && ifVersion >= 0)) return;
  throw new MemoryError('INVALID_ARGUMENT', 'ifVersion is to be a whole number of 0 or more.');
}

/** Throws `CONFLICT` unless a record has the version that a caller wants to change; 0 stands for "not there". */
export function expectVersion(ifVersion: number | undefined, version: number): void {
  if (ifVersion === undefined || ifVersion === version) return;
  throw new MemoryError(
    'CONFLICT',
    `The record is of version ${version}, not ${ifVersion} (0 = not there). Read it again, then decide anew.`,
  );
}

/** Throws `ABORTED` once the caller's signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new MemoryError('ABORTED', 'The caller aborted this call.', { cause: signal.reason });
}

function checkCount(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  throw new MemoryError('INVALID_ARGUMENT', `${what} is to be a whole number of 1 or more.`);
}
