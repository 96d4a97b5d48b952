import { readBytes } from '../disk/disk.ts';
import type { LogPiece } from './log-line.ts';

/** How a line begins: with its checksum, its length and its place. Elsewhere, or in another file, it begins otherwise. */
export interface Mark {
  readonly offset: number;
  readonly bytes: Buffer;
}

const MARK_BYTES = 20;

/** The mark of a line. */
export function markOf(line: Buffer, offset: number): Mark {
  return { offset, bytes: Buffer.from(line.subarray(0, MARK_BYTES)) };
}

/** The mark of the last sound line of a stretch that begins at `base`; `undefined` where there is none. */
export function lastMark(pieces: readonly LogPiece[], bytes: Buffer, base: number): Mark | undefined {
  const piece = pieces.findLast(({ json }) => json !== undefined);
  return piece && markOf(bytes.subarray(piece.offset - base), piece.offset);
}

/** Whether the line stands where it stood. */
export function isAt(file: number, { offset, bytes }: Mark): boolean {
  return readBytes(file, offset, bytes.length).equals(bytes);
}
