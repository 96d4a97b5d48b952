import { serve } from '../child.ts';
import { prepare, type Work, type Worker } from '../manager/work.ts';

/* Uses a memory manager in a contest. */

let worker: Worker | undefined;

serve<Work | 'round' | 'check'>(async (request) => {
  if (request === 'round') return worker?.round();
  if (request === 'check') return worker?.check();
  worker = await prepare(request);
  return undefined;
});
