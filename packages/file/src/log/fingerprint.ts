import { readBytes } from '../disk/disk.ts';
import type { LogPiece } from './log-line.ts';

/** The beginning of a line: its checksum, its length and its number. It differs at any other offset and in any other file. */
export interface Fingerprint {
  readonly offset: number;
  readonly bytes: Buffer;
}

const MARK_BYTES = 20;

/** The fingerprint of a line. */
export function fingerprintOf(line: Buffer, offset: number): Fingerprint {
  return { offset, bytes: Buffer.from(line.subarray(0, MARK_BYTES)) };
}

/** The fingerprint of the last intact line among `pieces`, which begin at `base`; `undefined` if there is none. */
export function lastFingerprint(pieces: readonly LogPiece[], bytes: Buffer, base: number): Fingerprint | undefined {
  const piece = pieces.findLast(({ json }) => json !== undefined);
  return piece && fingerprintOf(bytes.subarray(piece.offset - base), piece.offset);
}

/** Whether the line is still where it was. */
export function isAt(file: number, { offset, bytes }: Fingerprint): boolean {
  return readBytes(file, offset, bytes.length).equals(bytes);
}
