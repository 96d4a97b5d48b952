import { crc32 } from 'node:zlib';

/*
 * One line of a log: `<checksum> <length> <json>\n`. The checksum is the CRC-32 of the JSON's bytes in 8 hex digits, the
 * length their number in decimal. JSON holds no line feeds, so a reader finds the next line after any damage; and where
 * the line feed itself is damaged, the length says where the line ends.
 */

/** A stretch of a log: the JSON of a sound line, or bytes that are none. `end` is where the next one starts. */
export interface LogPiece {
  readonly offset: number;
  readonly end: number;
  /** Missing for damaged bytes. */
  readonly json?: string;
}

/** Writes a line. */
export function encodeLine(json: string): string {
  const bytes = Buffer.byteLength(json);
  return `${checksum(json)} ${bytes} ${json}\n`;
}

/**
 * Cuts bytes into lines.
 *
 * @param base - The place of `bytes` in the log.
 * @returns the pieces, and how many bytes at the end belong to a line that has no end yet.
 */
export function cutLines(bytes: Buffer, base: number): { pieces: LogPiece[]; rest: number } {
  const pieces: LogPiece[] = [];
  let start = 0;
  while (start < bytes.length) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const line = soundLine(bytes, start);
    const end = line?.end ?? (lineFeed === -1 ? bytes.length + 1 : lineFeed + 1);
    if (end > bytes.length) break;
    const offset = base + start;
    // A line feed alone closed the torn end of an earlier write.
    if (line) pieces.push({ offset, end: base + end, json: line.json });
    else if (end - start > 1) pieces.push({ offset, end: base + end });
    start = end;
  }
  return { pieces, rest: bytes.length - start };
}

const LINE_FEED = 0x0a;
/** 8 hex digits, a space, up to 10 digits, a space. */
const HEAD = /^([0-9a-f]{8}) (\d{1,10}) /;

function soundLine(bytes: Buffer, start: number): { end: number; json: string } | undefined {
  const head = HEAD.exec(bytes.toString('latin1', start, start + 20));
  if (head === null) return undefined;
  const from = start + head[0].length;
  const to = from + Number(head[2]);
  if (to > bytes.length || checksum(bytes.subarray(from, to)) !== head[1]) return undefined;
  return { end: to + 1, json: bytes.toString('utf8', from, to) };
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, '0');
}
