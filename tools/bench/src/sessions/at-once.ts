import { kindNamed } from './kinds.ts';
import type { SessionKind } from './session-kind.ts';
import { textOf, turn } from './turn.ts';

/** The concurrent appends of one process. */
export interface Burst {
  readonly kind: string;
  readonly directory: string;
  /** The number of the first turn. */
  readonly from: number;
  readonly count: number;
}

/** Prepares concurrent appends. The returned function runs them and returns the number of failures. */
export async function prepareBurst({ kind: name, directory, from, count }: Burst): Promise<() => Promise<number>> {
  const kind = kindNamed(name);
  const appends = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      // One instance each, as in a server that opens the session for each request.
      const session = await kind.open(directory);
      const one = turn(from + index);
      return async () => session.append(one);
    }),
  );
  return async () => {
    const settled = await Promise.allSettled(appends.map((append) => append()));
    return settled.filter(({ status }) => status === 'rejected').length;
  };
}

/** The faults of a session after concurrent appends. */
interface Faults {
  /** Turns with a missing item. */
  readonly lost: number;
  /** Turns whose items are not adjacent. */
  readonly split: number;
}

/** Checks the turns from number 0 in a session, even if it is damaged. */
export async function findFaults(kind: SessionKind, directory: string, count: number): Promise<Faults> {
  const texts = await readAll(kind, directory);
  const places = new Map(texts.map((text, place) => [text, place]));
  let lost = 0;
  let split = 0;
  for (let number = 0; number < count; number++) {
    const [question, answer] = turn(number).items.map((item) => places.get(textOf(item)));
    if (question === undefined || answer === undefined) lost++;
    else if (answer !== question + 1) split++;
  }
  return { lost, split };
}

/** Returns no texts if the file is unreadable, so that everything counts as lost. */
async function readAll(kind: SessionKind, directory: string): Promise<readonly string[]> {
  try {
    return await (await kind.open(directory)).newest(Infinity);
  } catch {
    return [];
  }
}
