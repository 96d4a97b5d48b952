import { addingMutants, contentMutants, jsonMutants, messageMutants } from './adding.ts';
import {
  abortingMutants,
  concurrencyMutants,
  historyMutants,
  identityMutants,
  isolationMutants,
  lifecycleMutants,
} from './conduct.ts';
import { cursorMutants, listingMutants, namespaceListingMutants } from './listing.ts';
import type { Mutants } from './mutant.ts';
import {
  excerptMutants,
  filterMutants,
  literalFilterMutants,
  literalSearchMutants,
  namespaceMutants,
  searchingMutants,
  ttlMutants,
} from './searching.ts';
import {
  batchMutants,
  capabilityMutants,
  clearingMutants,
  deletingMutants,
  idMutants,
  puttingMutants,
  replacingMutants,
} from './writing.ts';

/** For each case of the kit a store that is broken in just the way that the case is there to find. */
export const mutants: Mutants = {
  ...capabilityMutants,
  ...puttingMutants,
  ...idMutants,
  ...replacingMutants,
  ...batchMutants,
  ...deletingMutants,
  ...clearingMutants,
  ...listingMutants,
  ...cursorMutants,
  ...addingMutants,
  ...messageMutants,
  ...searchingMutants,
  ...excerptMutants,
  ...literalSearchMutants,
  ...filterMutants,
  ...literalFilterMutants,
  ...ttlMutants,
  ...namespaceMutants,
  ...namespaceListingMutants,
  ...contentMutants,
  ...jsonMutants,
  ...isolationMutants,
  ...identityMutants,
  ...lifecycleMutants,
  ...abortingMutants,
  ...concurrencyMutants,
  ...historyMutants,
};
