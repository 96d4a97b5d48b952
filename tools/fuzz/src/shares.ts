import type { NamedTarget } from './find-targets.ts';
import type { Share } from './run-target.ts';

/** The options of the command line. */
interface Options {
  readonly minutes?: string | undefined;
  readonly seed?: string | undefined;
  readonly input?: string | undefined;
}

/** A short run does the same each time, so that a failure belongs to the change that it is seen with. */
const SHORT_SEED = 1;

/** Reads which inputs each target runs: those named, as many as the time allows, or those of a short run. */
export function readShares(
  { minutes, seed, input }: Options,
  { targets, processes }: { readonly targets: number; readonly processes: number },
): (target: NamedTarget) => Share {
  const all = { firstInput: 0, endInput: 2 ** 31 - 1, durationMs: Number.MAX_SAFE_INTEGER };
  if (input !== undefined) {
    const [first, last = first] = input.split('-').map((number) => wholeNumber('input', number));
    const share = { ...all, firstInput: first as number, endInput: (last as number) + 1 };
    return () => ({ ...share, seed: seed === undefined ? SHORT_SEED : wholeNumber('seed', seed) });
  }
  if (minutes === undefined) {
    const chosen = seed === undefined ? SHORT_SEED : wholeNumber('seed', seed);
    return ({ inputs }) => ({ ...all, seed: chosen, endInput: inputs });
  }
  const chosen = seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('seed', seed);
  const durationMs = (Number(minutes) * 60_000 * processes) / targets;
  if (!(durationMs > 0)) throw new Error(`--minutes must be a number above 0, got ${minutes}.`);
  return () => ({ ...all, seed: chosen, durationMs });
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${option} must be a whole number, got ${text}.`);
  return Number(text);
}
