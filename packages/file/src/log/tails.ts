import { cutLines, type LogPiece } from './log-line.ts';
import { Window } from './window.ts';

const LINE_FEED = 0x0a;

/** The last lines of a log. */
export interface Tail {
  readonly pieces: readonly LogPiece[];
  /** How many bytes of an incomplete line follow. */
  readonly rest: number;
  /** Whether these are all lines. */
  readonly isAll: boolean;
}

/** Ever more of the last lines within the first `size` bytes of a log, up to all of them. */
export function* tailsOf(log: number, size: number): Iterable<Tail> {
  const window = new Window(log);
  for (let wanted = 1; ; ) {
    const { bytes, offset } = window.before(size, wanted);
    const isAll = offset === 0;
    const skipped = isAll ? 0 : bytes.indexOf(LINE_FEED) + 1;
    if (isAll || skipped > 0) yield { ...cutLines(bytes.subarray(skipped), offset + skipped), isAll };
    if (isAll) return;
    wanted = 2 * bytes.length;
  }
}
