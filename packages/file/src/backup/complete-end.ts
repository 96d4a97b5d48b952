import { cutLines, type LogPiece } from '../log/log-line.ts';
import { parseLine } from '../log/log-reader.ts';
import { Window } from '../sessions/window.ts';

const LINE_FEED = 0x0a;

/** Where the last complete batch within the first `size` bytes of a log ends. Damaged lines before that are left alone. */
export function completeEnd(log: number, size: number): number {
  const window = new Window(log);
  for (let wanted = 1; ; ) {
    const { bytes, offset } = window.before(size, wanted);
    const skipped = offset === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
    const { pieces } = cutLines(bytes.subarray(skipped), offset + skipped);
    const last = offset > 0 && skipped === 0 ? undefined : pieces.findLast(endsBatch);
    if (last !== undefined) return last.end;
    if (offset === 0) return size;
    wanted = 2 * bytes.length;
  }
}

function endsBatch({ json }: LogPiece): boolean {
  const line = json === undefined ? undefined : parseLine(json);
  return line === undefined || 'keepsake' in line || line.number === line.last;
}
