/** One of several that do the same work. */
export interface Contender {
  readonly name: string;
  play(): Promise<Lap>;
  /** After the last round: throws unless all is there that is to be there. */
  finish(): Promise<void>;
}

/** What one round of a contender came to. */
export interface Lap {
  /** Microseconds an operation. */
  readonly us: number;
  /** How long all of them took. What came before and after them is not timed. */
  readonly ms: number;
}

/** Microseconds an operation, one value a round. */
export type Timings = Readonly<Record<string, readonly number[]>>;

/** Rounds before the first, which do not count; who takes long needs one. */
const WARM_UPS = 5;
const WARM_MS = 500;
/** Who has taken this long is measured no further, once there is a median. */
const PATIENCE_MS = 8_000;
const FEWEST_ROUNDS = 3;

/**
 * Times contenders side by side, since a machine is never equally fast for long: one round of each, then the next round
 * of each, begun by another every time.
 */
export async function contest(contenders: readonly Contender[], rounds: number): Promise<Timings> {
  const timings = Object.fromEntries(contenders.map(({ name }) => [name, [] as number[]]));
  for (const contender of contenders) await warmUp(contender);
  const spentMs = new Map<Contender, number>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotated(contenders, round)) {
      const values = timings[contender.name] as number[];
      const spent = spentMs.get(contender) ?? 0;
      if (spent > PATIENCE_MS && values.length >= FEWEST_ROUNDS) continue;
      const { us, ms } = await contender.play();
      values.push(us);
      spentMs.set(contender, spent + ms);
    }
  }
  for (const contender of contenders) await contender.finish();
  return timings;
}

async function warmUp(contender: Contender): Promise<void> {
  let spent = 0;
  for (let round = 0; round < WARM_UPS && spent < WARM_MS; round++) spent += (await contender.play()).ms;
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const start = by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
