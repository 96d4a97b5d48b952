import { crc32 } from 'node:zlib';

/*
 * One line of a log: `<checksum> <length> <json>\n`. The checksum is the CRC-32 of the JSON's bytes in 8 hex digits, the
 * length is their count in decimal. JSON contains no line feeds, so a reader finds the next line after any damage. If the
 * line feed itself is damaged, the length gives the end of the line.
 */

/** A range of a log: the JSON of an intact line, or damaged bytes. The next one starts at `end`. */
export interface LogPiece {
  readonly offset: number;
  readonly end: number;
  /** Missing for damaged bytes. */
  readonly json?: string;
}

/**
 * Terminates what a crash or a full disk left of a line. The line stays invalid even if only its line feed was missing:
 * the write was not acknowledged, and other readers took it for incomplete.
 */
export const TORN = '#torn\n';

/** Encodes a line. */
export function encodeLine(json: string): string {
  const bytes = Buffer.byteLength(json);
  return `${checksum(json)} ${bytes} ${json}\n`;
}

/**
 * Splits bytes into lines.
 *
 * @param base - The offset of `bytes` in the log.
 * @returns the pieces, without torn lines that were terminated, and the number of bytes at the end that belong to an
 * incomplete line.
 */
export function cutLines(bytes: Buffer, base: number): { pieces: LogPiece[]; rest: number } {
  const pieces: LogPiece[] = [];
  let start = 0;
  while (start < bytes.length) {
    const line = soundLine(bytes, start);
    const end = line?.end ?? (bytes.indexOf(LINE_FEED, start) + 1 || bytes.length + 1);
    if (end > bytes.length) break;
    const piece = { offset: base + start, end: base + end };
    if (line) pieces.push({ ...piece, json: line.json });
    else if (!isTorn(bytes, start, end)) pieces.push(piece);
    start = end;
  }
  return { pieces, rest: bytes.length - start };
}

const LINE_FEED = 0x0a;
const HASH = 0x23;
/** 8 hex digits, a space, up to 10 digits, a space. */
const HEAD = /^([0-9a-f]{8}) (\d{1,10}) /;

function soundLine(bytes: Buffer, start: number): { end: number; json: string } | undefined {
  const head = HEAD.exec(bytes.toString('latin1', start, start + 20));
  if (head === null) return undefined;
  const from = start + head[0].length;
  const to = from + Number(head[2]);
  // A damaged line can claim any length. A line feed within the claimed length reveals it cheaply.
  const lineFeed = bytes.indexOf(LINE_FEED, from);
  if (to > bytes.length || (lineFeed !== -1 && lineFeed < to) || checksum(bytes.subarray(from, to)) !== head[1])
    return undefined;
  return bytes[to] === HASH ? undefined : { end: to + 1, json: bytes.toString('utf8', from, to) };
}

function isTorn(bytes: Buffer, start: number, end: number): boolean {
  return bytes.toString('latin1', Math.max(start, end - TORN.length), end) === TORN;
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, '0');
}
