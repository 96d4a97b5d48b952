import { MemoryError } from '@keepsake/core';
import type { Stretch } from '../disk/disk.ts';
import type { Trail } from './batch-footer.ts';
import type { LogPiece } from './log-line.ts';

/*
 * How the lines of a log make batches. Every change is a batch of lines, and lines are numbered without gaps. Each names
 * the first and the last number of its batch, its own number, when the batch was written, and the generation of the lock
 * under which it was. A batch counts when its last line is there. So:
 *
 * - a batch that a crash cut short is void, and the next one begins with the same number;
 * - where the next one begins with a later number, the lines between are damaged: they were there once;
 * - a batch of a lower generation than one before it is void: its writer had been taken for dead;
 * - a batch that begins with the number of one that counts, in a higher generation, makes that one void: its writer was
 *   taken for dead, and wrote after its successor had last looked.
 *
 * The header is the first line; where that is damaged or lost, the next writer writes it again in between.
 */

/** The first line of a log. */
export interface LogHeader {
  readonly keepsake: 'session' | 'memory';
  /** Of the format. */
  readonly version: 1;
  /** Whose log it is: the session's id, or the namespace. */
  readonly of: string | readonly string[];
}

/** What every other line has. */
export interface Envelope {
  readonly first: number;
  readonly last: number;
  readonly number: number;
  readonly generation: number;
  /** When the batch was written: ISO 8601 in UTC, with microseconds. */
  readonly at: string;
  /** On the last line of a session's batches. */
  readonly trail?: Trail;
}

/** A line of a batch that counts, and where it stands in the file. */
export interface LogEntry<Body> extends Stretch {
  readonly line: Envelope & Body;
}

/** The state that the lines of a log make. */
export interface LogView<Body> {
  /** Back to the state before the first line. */
  reset(): void;
  apply(entry: LogEntry<Body>): void;
  /** The header is damaged or lost; no line with a number is. */
  damageHeader(): void;
  /** Lines `from` to `to` are damaged; `pieces` is what is left of them. */
  damage(from: number, to: number, pieces: readonly LogPiece[]): void;
}

/** Names a batch: no two are the same, not even where a crash cut one short and the next begins with its number. */
export function batchKey({ first, generation, at }: Pick<Envelope, 'first' | 'generation' | 'at'>): string {
  return `${first} ${generation} ${at}`;
}

/** A batch was fed to the view that turns out to be void: read the log anew, with its key among the voided. */
export class Overtaken {
  readonly batch: string | undefined;

  constructor(batch: string | undefined) {
    this.batch = batch;
  }
}

/** What a reader knows at a place where everything is settled. */
export interface ReaderState {
  readonly position: number;
  readonly next: number;
  readonly generation: number;
  readonly newest: (Stretch & { readonly line: Envelope }) | undefined;
}

/** Feeds the batches of one log to a view, in order. */
export class LogReader<Body> {
  readonly #view: LogView<Body>;
  readonly #header: LogHeader;
  readonly #voided: ReadonlySet<string>;
  readonly #wanted: string | undefined;
  /** Whether the batch that was asked for counts. */
  found = false;
  /** The offset up to which everything is settled. */
  position = 0;
  /** The number that the next line will have. */
  next = 1;
  /** Whether the log says whose it is. */
  hasHeader = false;
  #generation = 0;
  #newest: ReaderState['newest'];
  #batch: LogEntry<Body>[] = [];
  #damaged: LogPiece[] = [];

  /** @param wanted - A batch to look out for, see `found`. */
  constructor(view: LogView<Body>, header: LogHeader, voided: ReadonlySet<string>, wanted?: string) {
    this.#view = view;
    this.#header = header;
    this.#voided = voided;
    this.#wanted = wanted;
    view.reset();
  }

  /** Goes on where another reader of the log was, whose view this one's is now. */
  resume({ position, next, generation, newest }: ReaderState): void {
    this.position = position;
    this.next = next;
    this.hasHeader = true;
    this.#generation = generation;
    this.#newest = newest;
  }

  /** What another reader needs in order to go on; `undefined` in the middle of a batch, or where the header is lost. */
  get state(): ReaderState | undefined {
    if (!this.hasHeader || this.#batch.length > 0 || this.#damaged.length > 0) return undefined;
    return { position: this.position, next: this.next, generation: this.#generation, newest: this.#newest };
  }

  /** The highest generation of its lines; 0 where there is none. */
  get generation(): number {
    return this.#generation;
  }

  /** When the newest batch that counts was written. */
  get newestAt(): string | undefined {
    return this.#newest?.line.at;
  }

  /** Where the newest batch that counts stands. */
  get newest(): Stretch | undefined {
    return this.#newest && { offset: this.#newest.offset, end: this.#newest.end };
  }

  /** Whether a batch is the newest that counts. */
  isNewest(key: string): boolean {
    return this.#newest !== undefined && batchKey(this.#newest.line) === key;
  }

  /** Takes in the next stretch of the log. Throws {@link Overtaken} where it must be read anew. */
  feed(pieces: readonly LogPiece[]): void {
    for (const piece of pieces) {
      const line = piece.json === undefined ? undefined : parseLine<Body>(piece.json);
      if (line === undefined) this.#damage(piece);
      else if ('keepsake' in line) {
        checkHeader(line, this.#header);
        this.hasHeader = true;
      } else this.#line({ line, offset: piece.offset, end: piece.end });
      if (this.#batch.length === 0 && this.#damaged.length === 0) this.position = piece.end;
    }
  }

  /** The log ends here, for now: settles damage at its very end, and forgets a batch that has no end yet. */
  atEnd(): void {
    if (!this.hasHeader) this.#view.damageHeader();
    const end = this.#damaged.at(-1)?.end;
    if (end !== undefined) {
      if (this.#batch.length > 0) this.#settleBatch();
      else this.#reportDamage(this.next + this.#damaged.length - 1);
      this.position = Math.max(this.position, end);
    }
    this.#batch = [];
  }

  #damage(piece: LogPiece): void {
    // The header has no number: with it no line is missing.
    if (piece.offset > 0) this.#damaged.push(piece);
  }

  #line(entry: LogEntry<Body>): void {
    const { line } = entry;
    if (line.generation < this.#generation || this.#voided.has(batchKey(line))) return;
    this.#generation = line.generation;
    const open = this.#batch.at(-1)?.line;
    if (open !== undefined && !continues(line, open)) {
      // Its writer went on after the open batch, or else took it for cut short.
      if (line.first > open.last) this.#settleBatch();
      this.#batch = [];
    }
    if (line.first < this.next) throw new Overtaken(this.#overtakenBy(line));
    if (line.first > this.next) this.#reportDamage(line.first - 1);
    // Rubbish before a batch that misses nothing is what a crash left of a void one.
    if (line.number === line.first) this.#damaged = [];
    this.#batch.push(entry);
    if (line.number === line.last) this.#settleBatch();
  }

  #overtakenBy(line: Envelope): string | undefined {
    const newest = this.#newest?.line;
    return newest?.first === line.first && newest.generation < line.generation ? batchKey(newest) : undefined;
  }

  #settleBatch(): void {
    const last = this.#batch.at(-1) as LogEntry<Body>;
    for (const entry of this.#batch) {
      if (entry.line.number > this.next) this.#reportDamage(entry.line.number - 1);
      this.#view.apply(entry);
      this.next = entry.line.number + 1;
    }
    if (last.line.last >= this.next) this.#reportDamage(last.line.last);
    const { first, last: to, number, generation, at } = last.line;
    this.#newest = {
      line: { first, last: to, number, generation, at },
      offset: this.#batch[0]?.offset ?? last.offset,
      end: last.end,
    };
    this.found ||= batchKey(last.line) === this.#wanted;
    this.position = last.end;
    this.#batch = [];
    this.#damaged = [];
  }

  #reportDamage(to: number): void {
    this.#view.damage(this.next, to, this.#damaged);
    this.#damaged = [];
    this.next = to + 1;
  }
}

/** @throws MemoryError `UNSUPPORTED` for a log of a newer version, `CORRUPT` for one of another id. */
export function checkHeader(found: LogHeader, expected: LogHeader): void {
  if (found.version !== expected.version) {
    throw new MemoryError(
      'UNSUPPORTED',
      'A log was written by a newer version of Keepsake. Update @keepsake/file to read it.',
    );
  }
  if (found.keepsake !== expected.keepsake || JSON.stringify(found.of) !== JSON.stringify(expected.of)) {
    throw new MemoryError('CORRUPT', 'A log stands in the folder of another id. Was a folder renamed or copied?');
  }
}

function continues(line: Envelope, open: Envelope): boolean {
  return batchKey(line) === batchKey(open) && line.number > open.number;
}

/** The first line of a log, or another one; `undefined` for JSON that is neither. */
export function parseLine<Body>(json: string): LogHeader | (Envelope & Body) | undefined {
  let line: Partial<LogHeader & Envelope>;
  try {
    line = JSON.parse(json) ?? {};
  } catch {
    return undefined;
  }
  if (typeof line.keepsake === 'string') return line as LogHeader;
  const { first = 0, number = 0, last = 0, generation = 0, at } = line;
  const sound = [first, number, last, generation].every((value) => Number.isSafeInteger(value) && value > 0);
  return sound && first <= number && number <= last && typeof at === 'string' ? (line as Envelope & Body) : undefined;
}
