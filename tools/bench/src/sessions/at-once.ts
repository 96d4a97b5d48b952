import { kindNamed } from './kinds.ts';
import type { SessionKind } from './session-kind.ts';
import { textOf, turn } from './turn.ts';

/** What one process is to append, all at once. */
export interface Burst {
  readonly kind: string;
  readonly directory: string;
  /** The number of the first turn. */
  readonly from: number;
  readonly count: number;
}

/** Gets ready to append turns that do not wait for one another; what it gives says how many appends failed. */
export async function prepareBurst({ kind: name, directory, from, count }: Burst): Promise<() => Promise<number>> {
  const kind = kindNamed(name);
  const appends = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      // An instance each, as in a server where each request opens the session.
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

/** What is wrong with a session after such appends. */
interface Faults {
  /** Turns of which an item is missing. */
  readonly lost: number;
  /** Turns whose items do not follow one another. */
  readonly apart: number;
}

/** Looks for the turns from number 0 in a session, or in what is left of it. */
export async function findFaults(kind: SessionKind, directory: string, count: number): Promise<Faults> {
  const texts = await readAll(kind, directory);
  const places = new Map(texts.map((text, place) => [text, place]));
  let lost = 0;
  let apart = 0;
  for (let number = 0; number < count; number++) {
    const [question, answer] = turn(number).items.map((item) => places.get(textOf(item)));
    if (question === undefined || answer === undefined) lost++;
    else if (answer !== question + 1) apart++;
  }
  return { lost, apart };
}

/** Nothing where the file can't be read any more: then all is lost. */
async function readAll(kind: SessionKind, directory: string): Promise<readonly string[]> {
  try {
    return await (await kind.open(directory)).newest(Infinity);
  } catch {
    return [];
  }
}
