/** One of several competitors that do the same work. */
export interface Contender {
  readonly name: string;
  play(): Promise<Lap>;
  /** After the last round: throws if the result is incomplete. */
  finish(): Promise<void>;
}

/** The result of one round of a contender. */
export interface Lap {
  /** Microseconds per operation. */
  readonly us: number;
  /** The duration of all operations, without set-up and clean-up. */
  readonly ms: number;
}

/** Microseconds per operation, one value per round. */
export type Timings = Readonly<Record<string, readonly number[]>>;

/** Warm-up rounds, which do not count; slow contenders need one. */
const WARM_UPS = 5;
const WARM_MS = 500;
const PATIENCE_MS = 8_000;
const FEWEST_ROUNDS = 3;

/**
 * Times contenders side by side, because the speed of a machine varies: one round of each, then the next round of each, with
 * a rotating start.
 *
 * @param patienceMs - A contender that has taken this long is not measured any further once it has a median.
 */
export async function contest(
  contenders: readonly Contender[],
  rounds: number,
  patienceMs = PATIENCE_MS,
): Promise<Timings> {
  const timings = Object.fromEntries(contenders.map(({ name }) => [name, [] as number[]]));
  for (const contender of contenders) await warmUp(contender);
  const spentMs = new Map<Contender, number>();
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotated(contenders, round)) {
      const values = timings[contender.name] as number[];
      const spent = spentMs.get(contender) ?? 0;
      if (spent > patienceMs && values.length >= FEWEST_ROUNDS) continue;
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
