import { beginningMutants } from './beginning.ts';
import { changingMutants } from './changing.ts';
import { conflictsMutants } from './conflicts.ts';
import { followingMutants } from './following.ts';
import { indexesMutants } from './indexes.ts';
import type { Mutants } from './mutant.ts';
import { placesMutants } from './places.ts';

/** Mutants of each case of the suite. */
export const recordLogsMutants: Mutants = {
  ...changingMutants,
  ...followingMutants,
  ...beginningMutants,
  ...placesMutants,
  ...indexesMutants,
  ...conflictsMutants,
};
