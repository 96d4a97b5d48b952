import { appendingMutants, clearingMutants, identityMutants, poppingMutants, readingMutants } from './basics.ts';
import { concurrencyMutants, concurrentChangeMutants, limitMutants, linearizabilityMutants } from './callers.ts';
import { hostileValueMutants, jsonMutants, notJsonMutants } from './data.ts';
import { idMutants } from './ids.ts';
import { isolationMutants } from './isolation.ts';
import type { Mutants } from './mutant.ts';
import { compactionMutants, mutationMutants } from './rewrites.ts';
import { operationMutants, transactionMutants } from './transactions.ts';
import { encryptionMutants, faultMutants, generatedMutants, windowMutants } from './wholes.ts';

/** The mutants that the cases of the kit must detect, by concern. */
export const sessionMutants: Readonly<Record<string, Mutants>> = {
  identity: identityMutants,
  reading: readingMutants,
  appending: appendingMutants,
  popping: poppingMutants,
  clearing: clearingMutants,
  'JSON values': jsonMutants,
  'invalid items': notJsonMutants,
  'hostile values': hostileValueMutants,
  "the caller's objects": isolationMutants,
  transactions: transactionMutants,
  'operation ids': operationMutants,
  mutations: mutationMutants,
  compaction: compactionMutants,
  'concurrent callers': concurrencyMutants,
  'concurrent changes': concurrentChangeMutants,
  linearizability: linearizabilityMutants,
  ids: idMutants,
  sizes: limitMutants,
  windows: windowMutants,
  encryption: encryptionMutants,
  'generated histories': generatedMutants,
  'damage and failure': faultMutants,
};
