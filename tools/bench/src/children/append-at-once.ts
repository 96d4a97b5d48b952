import { serve } from '../child.ts';
import { type Burst, prepareBurst } from '../sessions/at-once.ts';

/* Appends many turns concurrently to a session to which other processes may append, too. */

let begin: (() => Promise<number>) | undefined;

serve<Burst | 'go'>(async (request) => {
  if (request === 'go') return begin?.();
  begin = await prepareBurst(request);
  return undefined;
});
