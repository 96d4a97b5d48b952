import { serve } from '../child.ts';
import type { OpenContender } from '../lost/contender.ts';
import { contenderNamed } from '../lost/contenders.ts';
import { factOf } from '../lost/fact.ts';

/* Writes many texts concurrently to a memory to which other processes may write, too. */

interface Opening {
  readonly open: string;
  readonly directory: string;
  /** The number of the first text. */
  readonly from: number;
  readonly count: number;
}

type Request = Opening | { readonly do: 'write' | 'read' | 'read again' };

let opening: Opening;
let memory: OpenContender;

serve<Request>(async (request) => {
  if ('open' in request) {
    opening = request;
    memory = await contenderNamed(request.open).open(request.directory);
    return undefined;
  }
  if (request.do === 'write') return write();
  if (request.do === 'read') return memory.read();
  // What a new process sees.
  await memory.close?.();
  memory = await contenderNamed(opening.open).open(opening.directory);
  const text = await memory.read();
  await memory.close?.();
  return text;
});

/** Returns the numbers of the texts whose write was acknowledged. */
async function write(): Promise<number[]> {
  const numbers = Array.from({ length: opening.count }, (_, index) => opening.from + index);
  const settled = await Promise.allSettled(numbers.map((number) => memory.write(factOf(number))));
  return numbers.filter((_, index) => settled[index]?.status === 'fulfilled');
}
