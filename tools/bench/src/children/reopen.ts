import { serve } from '../child.ts';
import { reopen, type SearchWork } from '../search/work.ts';

/* Opens what another process saved. */

serve<SearchWork>(reopen);
