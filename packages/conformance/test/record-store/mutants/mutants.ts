import { addingMutants, contentMutants, jsonMutants, messageMutants } from './adding.ts';
import { concurrentMutants } from './concurrent.ts';
import {
  abortingMutants,
  concurrencyMutants,
  historyMutants,
  hostileValueMutants,
  identityMutants,
  isolationMutants,
  lifecycleMutants,
  unknownOptionMutants,
} from './conduct.ts';
import { descendantMutants } from './descendants.ts';
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
import { namespaceSegmentMutants } from './segments.ts';
import { supersedingMutants } from './superseding.ts';
import {
  batchMutants,
  capabilityMutants,
  clearingMutants,
  deletingMutants,
  idMutants,
  provenanceMutants,
  puttingMutants,
  replacingMutants,
} from './writing.ts';

/** For each case of the kit, a store that is broken in exactly the way that the case must detect. */
export const mutants: Mutants = {
  ...capabilityMutants,
  ...puttingMutants,
  ...provenanceMutants,
  ...supersedingMutants,
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
  ...namespaceSegmentMutants,
  ...descendantMutants,
  ...contentMutants,
  ...jsonMutants,
  ...isolationMutants,
  ...identityMutants,
  ...unknownOptionMutants,
  ...hostileValueMutants,
  ...lifecycleMutants,
  ...abortingMutants,
  ...concurrencyMutants,
  ...concurrentMutants,
  ...historyMutants,
};
