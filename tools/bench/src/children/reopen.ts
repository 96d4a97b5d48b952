import { serve } from '../child.ts';
import { reopen, type SearchWork } from '../search/work.ts';

/* Reopens an engine that another process saved. */

serve<SearchWork>(reopen);
