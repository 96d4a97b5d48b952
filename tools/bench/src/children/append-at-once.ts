import { serve } from '../child.ts';
import { type Burst, prepareBurst } from '../sessions/at-once.ts';

/* Appends many turns at once to a session that other processes may append to as well. */

let begin: (() => Promise<number>) | undefined;

serve<Burst | 'go'>(async (request) => {
  if (request === 'go') return begin?.();
  begin = await prepareBurst(request);
  return undefined;
});
