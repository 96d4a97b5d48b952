import { fstatSync } from 'node:fs';
import { readBytes, type Stretch } from '../disk/disk.ts';
import type { LogName } from '../disk/file-names.ts';
import { Window } from '../sessions/window.ts';
import type { Holdings, Trail } from './batch-footer.ts';
import { cutLines, type LogPiece } from './log-line.ts';
import { batchKey, checkHeader, type Envelope, type LogEntry, type LogHeader, parseLine } from './log-reader.ts';

/*
 * Reading a log from its end, along the trail that its batches leave, see trail.ts. It costs what is read and not what
 * the log holds. Whatever is out of the ordinary at the places that are read (damage, a takeover, a log of an earlier
 * release) is left to the LogReader, which reads all: there is one place that knows the rules for that.
 */

/** A log that is open. */
export interface OpenLog {
  readonly name: LogName;
  readonly handle: number;
}

/** Where a log ends. */
export interface LogEnd {
  /** Up to here the log is settled. */
  readonly position: number;
  /** Whether it ends in the middle of a line. */
  readonly torn: boolean;
  /** The number that the next line will have. */
  readonly next: number;
  /** Missing where the log has none yet. */
  readonly newest?: NewestBatch;
}

export interface NewestBatch extends Stretch {
  readonly key: string;
  readonly at: string;
  readonly trail: Trail;
  /** The length of its last line where that holds an item or an operation, which `trail.bytes` leaves out; else 0. */
  readonly lastLiveBytes: number;
}

/** What the session holds after its newest batch. */
export function holdingsAfter({ trail, lastLiveBytes }: NewestBatch): Holdings {
  return { items: trail.items, bytes: trail.bytes + lastLiveBytes, since: trail.since };
}

/** Where the log of a session ends; `undefined` where that can't be told from the end alone. */
export function findEnd({ name, handle }: OpenLog, header: LogHeader): LogEnd | undefined {
  const { size } = fstatSync(handle);
  if (!hasHeader(handle, header)) return undefined;
  const window = new Window(handle);
  for (let wanted = 1; ; ) {
    const { bytes, offset } = window.before(size, wanted);
    const skipped = offset === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
    const { pieces, rest } = cutLines(bytes.subarray(skipped), offset + skipped);
    const newest = offset > 0 && skipped === 0 ? 'further up' : findNewest(pieces, name.generation);
    if (newest === 'unclear') return undefined;
    if (newest !== 'further up') {
      const position = newest.end;
      return { position, torn: rest > 0, next: Number(newest.line.last) + 1, newest: describe(newest) };
    }
    if (offset === 0) {
      const [first, ...others] = pieces;
      // A log that has just been made.
      return first !== undefined && others.length === 0 ? { position: first.end, torn: rest > 0, next: 1 } : undefined;
    }
    wanted = 2 * bytes.length;
  }
}

/** The lines of all batches that count, the last line first. Throws {@link Unclear} where only reading all can tell. */
export function* linesFromBehind<Body>(handle: number, end: LogEnd): Generator<LogEntry<Body>> {
  const window = new Window(handle);
  let batch: Stretch | undefined = end.newest;
  let last = end.next - 1;
  while (batch !== undefined) {
    let trail: Trail | undefined;
    let first = last;
    for (const entry of batchFromBehind<Body>(window, batch, last)) {
      trail ??= entry.line.trail;
      first = entry.line.first;
      yield entry;
    }
    if (trail?.start !== batch.offset || (trail.back === undefined && first !== 1)) throw new Unclear();
    batch = trail.back && { offset: trail.back[0], end: trail.back[1] };
    last = first - 1;
  }
}

/** What stands in the log can't be told from behind. */
export class Unclear {}

const LINE_FEED = 0x0a;
/** Enough for the header of any id but the longest. */
const HEADER_BYTES = 4096;

function hasHeader(handle: number, header: LogHeader): boolean {
  const [piece] = cutLines(readBytes(handle, 0, HEADER_BYTES), 0).pieces;
  const line = piece?.json === undefined ? undefined : parseLine(piece.json);
  if (line === undefined || !('keepsake' in line)) return false;
  checkHeader(line, header);
  return true;
}

type LastLine = LogEntry<{ readonly item?: object; readonly operation?: object }>;

/** The last line of the newest batch that is whole: what follows it may be cut short, but not damaged. */
function findNewest(pieces: readonly LogPiece[], generation: number): LastLine | 'unclear' | 'further up' {
  for (const { json, offset, end } of pieces.toReversed()) {
    const line = json === undefined ? undefined : parseLine<object>(json);
    if (line === undefined) return 'unclear';
    if ('keepsake' in line || line.number !== line.last) continue;
    // Of an earlier generation than the log's name: it may be void.
    return line.generation === generation && line.trail ? { line, offset, end } : 'unclear';
  }
  return 'further up';
}

function describe({ line, offset, end }: LastLine): NewestBatch {
  const trail = line.trail as Trail;
  return {
    offset: trail.start,
    end,
    key: batchKey(line),
    at: line.at,
    trail,
    lastLiveBytes: (line.item ?? line.operation) === undefined ? 0 : end - offset,
  };
}

/** The lines of one batch, the last one first. */
function* batchFromBehind<Body>(window: Window, batch: Stretch, last: number): Generator<LogEntry<Body>> {
  let key: string | undefined;
  let first = 0;
  let number = last;
  let wanted = 1;
  for (let end = batch.end; end > batch.offset; ) {
    const { bytes, offset } = window.before(end, wanted);
    const from = offset <= batch.offset ? batch.offset - offset : bytes.indexOf(LINE_FEED) + 1;
    if (offset > batch.offset && (from === 0 || from === bytes.length)) {
      wanted = 2 * bytes.length;
      continue;
    }
    const { pieces, rest } = cutLines(bytes.subarray(from), offset + from);
    if (rest > 0) throw new Unclear();
    for (const { json, ...place } of pieces.toReversed()) {
      const line = json === undefined ? undefined : parseLine<Body>(json);
      if (line === undefined || 'keepsake' in line || line.number !== number || line.last !== last) throw new Unclear();
      key ??= batchKey(line);
      if (batchKey(line) !== key) throw new Unclear();
      first = line.first;
      number--;
      yield { line: line as Envelope & Body, ...place };
    }
    end = offset + from;
    wanted = 1;
  }
  if (number !== first - 1) throw new Unclear();
}
