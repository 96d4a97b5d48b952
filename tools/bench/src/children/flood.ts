import { serve } from '../child.ts';
import { flood } from '../manager/flood.ts';

/* Observes turns faster than they are saved and measures the memory. */

serve<{ turns: number }>(({ turns }) => flood(turns));
