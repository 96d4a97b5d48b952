import { fstatSync } from 'node:fs';
import { readBytes, type Stretch } from '../disk/disk.ts';
import type { LogName } from '../disk/file-names.ts';
import type { BatchFooter, SessionTotals } from './batch-footer.ts';
import { cutLines, type LogPiece } from './log-line.ts';
import { batchKey, checkHeader, type Envelope, type LogEntry, type LogHeader, parseLine } from './log-reader.ts';
import { tailsOf } from './tails.ts';
import { Window } from './window.ts';

/*
 * Reads a log from its end, along the footers of its batches (batch-footer.ts). The cost depends on what is read, not on
 * the length of the log. Anything unusual on the way (damage, a takeover, a log of an earlier release) is left to the
 * LogReader, which reads everything, so that one place knows the rules for it.
 */

/** An open log. */
export interface OpenLog {
  readonly name: LogName;
  readonly handle: number;
}

/** The end of a log. */
export interface LogEnd {
  /** The offset up to which the log is settled. */
  readonly position: number;
  /** Whether the log ends in the middle of a line. */
  readonly torn: boolean;
  /** The number of the next line. */
  readonly next: number;
  /** Missing if the log has no batch yet. */
  readonly newest?: NewestBatch;
}

export interface NewestBatch extends Stretch {
  readonly key: string;
  readonly at: string;
  readonly footer: BatchFooter;
  /** The length of its last line if that is an item or of operations, else 0. `footer.bytes` leaves it out. */
  readonly lastLiveBytes: number;
}

/** The totals of the session after its newest batch. */
export function totalsAfter({ footer, lastLiveBytes }: NewestBatch): SessionTotals {
  return { items: footer.items, bytes: footer.bytes + lastLiveBytes, since: footer.since };
}

/** The end of a session's log, or `undefined` if the end alone is not enough to know it. */
export function findEnd({ name, handle }: OpenLog, header: LogHeader): LogEnd | undefined {
  const { size } = fstatSync(handle);
  if (!hasHeader(handle, header)) return undefined;
  for (const { pieces, rest, isAll } of tailsOf(handle, size)) {
    const newest = findNewest(pieces, name.generation);
    if (newest === 'unclear') return undefined;
    if (newest !== 'further up') {
      const position = newest.end;
      return { position, torn: rest > 0, next: Number(newest.line.last) + 1, newest: describe(newest) };
    }
    const [first, ...others] = pieces;
    // A new log.
    if (isAll && first !== undefined && others.length === 0) return { position: first.end, torn: rest > 0, next: 1 };
  }
  return undefined;
}

/** The lines of all valid batches, last line first. Throws {@link Unclear} if only reading the whole log can tell. */
export function* linesFromBehind<Body>(handle: number, end: LogEnd): Generator<LogEntry<Body>> {
  const window = new Window(handle);
  let batch: Stretch | undefined = end.newest;
  let last = end.next - 1;
  while (batch !== undefined) {
    let footer: BatchFooter | undefined;
    let first = last;
    for (const entry of batchFromBehind<Body>(window, batch, last)) {
      footer ??= entry.line.trail;
      first = entry.line.first;
      yield entry;
    }
    if (footer?.start !== batch.offset || (footer.back === undefined && first !== 1)) throw new Unclear();
    batch = footer.back && { offset: footer.back[0], end: footer.back[1] };
    last = first - 1;
  }
}

/** The log can't be read backwards. */
export class Unclear {}

const LINE_FEED = 0x0a;
/** Enough for the header of all but the longest ids. */
const HEADER_BYTES = 4096;

function hasHeader(handle: number, header: LogHeader): boolean {
  const [piece] = cutLines(readBytes(handle, 0, HEADER_BYTES), 0).pieces;
  const line = piece?.json === undefined ? undefined : parseLine(piece.json);
  if (line === undefined || !('keepsake' in line)) return false;
  checkHeader(line, header);
  return true;
}

type LastLine = LogEntry<{ readonly item?: object; readonly operation?: object; readonly operations?: object }>;

/** The last line of the newest complete batch. An incomplete batch may follow it, but no damage. */
function findNewest(pieces: readonly LogPiece[], generation: number): LastLine | 'unclear' | 'further up' {
  for (const { json, offset, end } of pieces.toReversed()) {
    const line = json === undefined ? undefined : parseLine<object>(json);
    if (line === undefined) return 'unclear';
    if ('keepsake' in line || line.number !== line.last) continue;
    // From an earlier generation than the log's name: it may be void.
    return line.generation === generation && line.trail ? { line, offset, end } : 'unclear';
  }
  return 'further up';
}

function describe({ line, offset, end }: LastLine): NewestBatch {
  const footer = line.trail as BatchFooter;
  return {
    offset: footer.start,
    end,
    key: batchKey(line),
    at: line.at,
    footer,
    lastLiveBytes: (line.item ?? line.operation ?? line.operations) === undefined ? 0 : end - offset,
  };
}

/** The lines of one batch, last line first. */
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
