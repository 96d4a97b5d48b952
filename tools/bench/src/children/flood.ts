import { serve } from '../child.ts';
import { flood } from '../manager/flood.ts';

/* Observes turns faster than they are saved, and looks at what is held. */

serve<{ turns: number }>(({ turns }) => flood(turns));
