import { serve } from '../child.ts';
import { buildVectors, type VectorWork } from '../search/vector-work.ts';
import { build, type SearchWork } from '../search/work.ts';

/* Adds entries and measures the cost. */

serve<SearchWork | VectorWork>((work) => ('contender' in work ? build(work) : buildVectors(work)));
