import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const EVERY_MS = 200;
const LOOKS = 4;

/**
 * Waits until what `look` sees has stayed the same for a while. The server of a killed process still does what the process
 * had sent.
 */
export async function untilStill(look: () => Promise<unknown>): Promise<void> {
  let last = await look();
  for (let same = 1; same < LOOKS; ) {
    await setTimeout(EVERY_MS);
    const seen = await look();
    same = isDeepStrictEqual(seen, last) ? same + 1 : 1;
    last = seen;
  }
}
