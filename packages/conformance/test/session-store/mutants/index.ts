import { keyed } from '../../session/mutants/mutant.ts';
import { listingMutants, openingMutants } from './lists.ts';
import { deleting, empties, type StoreMutants, storeOf, WritesOnEveryChange } from './mutant.ts';
import { deletingMutants, pagingMutants } from './pages.ts';

/** What each case of the kit must fail on, by concern. */
export const storeMutants: Readonly<Record<string, StoreMutants>> = {
  opening: openingMutants,
  listing: listingMutants,
  pages: pagingMutants,
  deleting: deletingMutants,
  'generated histories of a store': {
    'any history of several sessions leaves the list that a plain map would': [
      storeOf(keyed((id) => id.toLowerCase())),
      deleting(empties),
      storeOf(WritesOnEveryChange),
    ],
  },
};
