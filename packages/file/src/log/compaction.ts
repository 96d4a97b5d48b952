import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { flush, listFolder, readBytes, type Stretch, syncFolder, writeAll } from '../disk/disk.ts';
import type { HeldLock } from '../disk/file-lock.ts';
import { damagedName, isDamagedName, newLogName, temporaryName } from '../disk/file-names.ts';
import type { OpenLog } from './backward-reader.ts';
import { type Footing, type Holdings, NOTHING } from './batch-footer.ts';
import { encodeBatch } from './encode-batch.ts';
import type { Mark } from './fingerprint.ts';
import type { IndexedView, LogFollower, ReadLine } from './log-follower.ts';
import type { LogPiece } from './log-line.ts';
import type { ReaderState } from './log-reader.ts';
import { timestamp } from './timestamp.ts';

/** What alone makes the state of a log. */
export interface Snapshot {
  /** Lines that come first, as JSON texts. */
  readonly before: readonly string[];
  /** Where the lines stand that are carried over. */
  readonly lines: readonly Stretch[];
  /** Lines that come last, as JSON texts. */
  readonly after: readonly string[];
}

/** The state of a log, and how to write it down afresh. */
export interface CompactableView<Body> extends IndexedView<Body> {
  /** How many bytes of the log tell of what is still so. */
  readonly liveBytes: number;
  /** Whether there is nothing that anybody could read. */
  readonly isEmpty: boolean;
  /** What is left of damaged lines. */
  readonly damagedPieces: readonly LogPiece[];
  /** Whether damaged lines may be left out: nothing depends on where they stood. */
  readonly damageMayGo: boolean;
  /** What a session holds. */
  readonly holdings?: Holdings;
  /** What alone makes this state, damage left out. */
  snapshot(): Snapshot;
  /** A line that is carried over, as JSON text. */
  carryOver(line: Body): string;
}

export interface Compaction<Body> {
  readonly folder: string;
  /** The first line of the log. */
  readonly header: string;
  readonly view: CompactableView<Body>;
  readonly follower: LogFollower<Body>;
  readonly log: OpenLog;
  readonly lock: HeldLock;
}

/** So many lines are carried over in a batch. */
const BATCH_LINES = 64;
/** Others of this process have their turn after so long. */
const SLICE_MS = 10;

/**
 * Writes what is still so to a new log, with its index, and puts it in the place of the old one, which those go on reading
 * who have it open. Lets the rest of the process run meanwhile; nobody else changes what counts in the
 * old log. False where the lock was lost or the log could not be read, and the old log stays.
 */
export async function compact<Body>({ folder, header, view, follower, log, lock }: Compaction<Body>): Promise<boolean> {
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax');
  try {
    const { beginnings } = follower;
    const { isEmpty, damagedPieces } = view;
    const copy = new LogCopy(file, header, lock.generation, follower.reader.newestAt ?? timestamp(), view.holdings);
    const moved = await carryOver(copy, view, follower.reading(log));
    // Whatever the durability: it replaces what has long been on the disk.
    await flush(file);
    // Where reading failed meanwhile, the view is empty, and an index of it would be one of nothing.
    if (!lock.isHeld() || follower.beginnings !== beginnings) return false;
    setAside(folder, log, { isEmpty, damagedPieces });
    const number = log.name.number + 1;
    const index = view.index?.(({ offset }) => moved.get(offset) as Stretch);
    if (index && copy.mark) follower.writeIndex(number, copy.state, copy.mark, index);
    // Fails where somebody has taken over the lock in this moment, since they remove what they find of others.
    renameSync(temporary, join(folder, newLogName(lock.generation, number)));
    syncFolder(folder);
    rmSync(join(folder, log.name.name), { force: true });
    return true;
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

/** Gives the new places of the lines, by their old offsets. */
async function carryOver<Body>(
  copy: LogCopy,
  view: CompactableView<Body>,
  read: ReadLine<Body>,
): Promise<Map<number, Stretch>> {
  const { before, lines, after } = view.snapshot();
  const moved = new Map<number, Stretch>();
  // The first line clears, the others hold operations.
  copy.append(before, { items: 0, live: before.length - 1 });
  let since = performance.now();
  for (let start = 0; start < lines.length; start += BATCH_LINES) {
    const batch = lines.slice(start, start + BATCH_LINES);
    const places = copy.append(
      batch.map((line) => view.carryOver(read(line))),
      { items: batch.length, live: batch.length },
    );
    for (const [index, { offset }] of batch.entries()) moved.set(offset, places[index] as Stretch);
    if (performance.now() - since < SLICE_MS) continue;
    await pause();
    since = performance.now();
  }
  copy.append(after, { items: 0, live: 0 });
  return moved;
}

/** Keeps what is left of damaged lines; drops what was kept before of a log that tells of nothing any more. */
function setAside(
  folder: string,
  log: OpenLog,
  { isEmpty, damagedPieces }: Pick<CompactableView<unknown>, 'isEmpty' | 'damagedPieces'>,
): void {
  if (isEmpty && damagedPieces.length === 0) {
    for (const name of listFolder(folder).filter(isDamagedName)) rmSync(join(folder, name), { force: true });
  } else if (damagedPieces.length > 0) {
    const pieces = damagedPieces.map(({ offset, end }) => readBytes(log.handle, offset, end - offset));
    writeFileSync(join(folder, damagedName()), Buffer.concat(pieces), { flag: 'wx', flush: true });
  }
}

/** A log in the making. */
class LogCopy {
  readonly #file: number;
  readonly #generation: number;
  readonly #at: string;
  #holdings: Holdings | undefined;
  #position: number;
  #next = 1;
  #newest: ReaderState['newest'];
  mark: Mark | undefined;

  /** @param held - Where the log is that of a session. */
  constructor(file: number, header: string, generation: number, at: string, held: Holdings | undefined) {
    this.#file = file;
    this.#generation = generation;
    this.#at = at;
    this.#holdings = held && { ...NOTHING, since: held.since ?? at };
    this.#position = Buffer.byteLength(header);
    writeAll(file, Buffer.from(header));
  }

  /** What a reader of all this knows. */
  get state(): ReaderState {
    return { position: this.#position, next: this.#next, generation: this.#generation, newest: this.#newest };
  }

  /** Appends a batch and gives the places of its lines. */
  append(bodies: readonly string[], counts: Pick<Footing, 'items' | 'live'>): readonly Stretch[] {
    if (bodies.length === 0) return [];
    const head = { first: this.#next, generation: this.#generation, at: this.#at, start: this.#position };
    const footing = this.#holdings && { kept: this.#holdings, ...counts, back: this.#newest };
    const { bytes, places, mark, trail, lastLiveBytes } = encodeBatch({ ...head, footing }, bodies);
    writeAll(this.#file, bytes);
    const last = head.first + bodies.length - 1;
    const line = { first: head.first, last, number: last, generation: this.#generation, at: this.#at };
    this.#newest = { line, offset: this.#position, end: this.#position + bytes.length };
    this.#position += bytes.length;
    this.#next = last + 1;
    this.mark = mark;
    if (trail) this.#holdings = { items: trail.items, bytes: trail.bytes + lastLiveBytes, since: trail.since };
    return places;
  }
}
