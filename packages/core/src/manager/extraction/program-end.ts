import { type Logger, warn } from '../options/logger.ts';

/** Loses messages if the program ends now. */
interface Unsaved {
  /** The number of messages that would be lost. */
  readonly unsaved: number;
  /** Why saving them failed; `undefined` if it was not tried. */
  readonly saveFailure: string | undefined;
  readonly logger: Logger;
}

/** The part of Node's global that tells of the end of a program. Other platforms have none. */
interface Runtime {
  prependListener?(event: 'beforeExit', listener: () => void): unknown;
  once?(event: 'exit', listener: () => void): unknown;
}

/** Who may lose messages. Weak, so that managers that nobody uses are collected. */
const watched = /* @__PURE__ */ new Set<WeakRef<Unsaved>>();
let collected: FinalizationRegistry<WeakRef<Unsaved>> | undefined;
let endings = 0;

/** How many times the program had nothing left to do, and would have ended unless a listener had started new work. */
export function endingsSoFar(): number {
  return endings;
}

/** Warns, once, if the program ends while there are unsaved messages. */
export function watchUntilEnd(one: Unsaved): void {
  const runtime = (globalThis as { process?: Runtime }).process;
  // Some platforms on the edge have neither.
  if (typeof runtime?.once !== 'function' || typeof FinalizationRegistry !== 'function') return;
  collected ??= watchProgram(runtime);
  const ref = new WeakRef(one);
  watched.add(ref);
  collected.register(one, ref);
}

function watchProgram(runtime: Runtime): FinalizationRegistry<WeakRef<Unsaved>> {
  // First, so that the listeners of the application find the new count.
  runtime.prependListener?.('beforeExit', () => {
    endings++;
  });
  // Not before: until then, a listener may flush.
  runtime.once?.('exit', warnOfLoss);
  return new FinalizationRegistry((ref) => watched.delete(ref));
}

function warnOfLoss(): void {
  const lost = new Map<Logger, Map<string | undefined, number>>();
  for (const ref of watched) {
    const { logger, unsaved = 0, saveFailure } = ref.deref() ?? {};
    if (logger === undefined || unsaved === 0) continue;
    const counts = lost.get(logger) ?? new Map<string | undefined, number>();
    lost.set(logger, counts.set(saveFailure, (counts.get(saveFailure) ?? 0) + unsaved));
  }
  for (const [logger, counts] of lost) for (const [failure, count] of counts) warn(logger, lossOf(count, failure));
}

function lossOf(count: number, failure: string | undefined): string {
  const [are, them] = count === 1 ? ['1 message is', 'it'] : [`${count} messages are`, 'them'];
  if (failure === undefined) {
    return `${are} lost, because the program ends without saving ${them}. Call \`await memory.flush()\` before the end, in a \`finally\` so that no error skips it, or use an \`outbox\`.`;
  }
  return `${are} lost, because saving ${them} failed: ${failure} With an \`outbox\` in a store that works, a later program saves ${them} by \`memory.recover()\`.`;
}
