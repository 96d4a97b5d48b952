import { serve } from '../child.ts';
import type { Searcher } from '../search/searcher.ts';
import { prepareVectorSearches, type VectorWork } from '../search/vector-work.ts';
import { prepareSearches, type SearchWork } from '../search/work.ts';

/* Searches in a contest. */

let searcher: Searcher | undefined;

serve<SearchWork | VectorWork | 'round' | 'check' | 'rounds'>(async (request) => {
  if (request === 'round') return searcher?.round();
  if (request === 'check') return searcher?.check();
  if (request === 'rounds') return searcher?.rounds;
  searcher = await ('contender' in request ? prepareSearches(request) : prepareVectorSearches(request));
  return undefined;
});
