import { keyed } from '../../session/mutants/mutant.ts';
import { listingMutants, openingMutants } from './lists.ts';
import { deleting, empties, type StoreMutants, storeOf, WritesOnEveryChange } from './mutant.ts';
import { deletingMutants, pagingMutants } from './pages.ts';
import { prefixMutants } from './prefixes.ts';
import { segmentMutants } from './segments.ts';

/** The mutants that the cases of the kit must detect, by concern. */
export const storeMutants: Readonly<Record<string, StoreMutants>> = {
  opening: openingMutants,
  listing: listingMutants,
  pages: pagingMutants,
  'prefixes of ids': prefixMutants,
  'segments of ids': segmentMutants,
  deleting: deletingMutants,
  'generated histories': {
    'after any history of several sessions, the list equals that of a plain map': [
      storeOf(keyed((id) => id.toLowerCase())),
      deleting(empties),
      storeOf(WritesOnEveryChange),
    ],
  },
};
