import type { LogPiece } from '../log/log-line.ts';
import { parseLine } from '../log/log-reader.ts';
import { tailsOf } from '../log/tails.ts';

/**
 * Where the last complete batch within the first `size` bytes of a log ends. A damaged line counts as the end of one, because
 * nobody knows.
 */
export function completeEnd(log: number, size: number): number {
  for (const { pieces } of tailsOf(log, size)) {
    const last = pieces.findLast(endsBatch);
    if (last !== undefined) return last.end;
  }
  return size;
}

function endsBatch({ json }: LogPiece): boolean {
  const line = json === undefined ? undefined : parseLine(json);
  return line === undefined || 'keepsake' in line || line.number === line.last;
}
