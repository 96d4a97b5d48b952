import { MemoryError } from '@keepsake/core';
import type { Stretch } from '../disk/disk.ts';
import type { BatchFooter } from './batch-footer.ts';
import type { LogPiece } from './log-line.ts';

/*
 * How the lines of a log form batches. Every change is a batch of lines, and lines are numbered without gaps. Each line has
 * the first and the last number of its batch, its own number, the time of the batch, and the generation of the writer's
 * lock. A batch is valid once its last line is there. So:
 *
 * - a batch that a crash interrupted is void, and the next one begins with the same number;
 * - if the next batch begins with a later number, the lines in between are damaged: they existed once;
 * - a batch of a lower generation than one before it is void: its writer had been presumed dead;
 * - a batch that begins with the number of a valid batch, in a higher generation, voids that batch: its writer was presumed
 *   dead and wrote after its successor had last read the log.
 *
 * The header is the first line. If it is damaged or lost, the next writer writes it again, between batches.
 */

/** The first line of a log. */
export interface LogHeader {
  readonly keepsake: 'session' | 'memory';
  /** The version of the format. */
  readonly version: 1;
  /** The session's id or the namespace. */
  readonly of: string | readonly string[];
}

/** The envelope of every other line. */
export interface Envelope {
  readonly first: number;
  readonly last: number;
  readonly number: number;
  readonly generation: number;
  /** The time of the batch: ISO 8601 in UTC, with microseconds. */
  readonly at: string;
  /** On the last line of a session's batches. */
  readonly trail?: BatchFooter;
}

/** A line of a valid batch, with its byte range. */
export interface LogEntry<Body> extends Stretch {
  readonly line: Envelope & Body;
}

/** A state that is built from the lines of a log. */
export interface LogView<Body> {
  /** Resets to the state before the first line. */
  reset(): void;
  apply(entry: LogEntry<Body>): void;
  /** The header is damaged or lost, and no numbered line is. */
  damageHeader(): void;
  /** Lines `from` to `to` are damaged; `pieces` are their remains. */
  damage(from: number, to: number, pieces: readonly LogPiece[]): void;
}

/** A unique key of a batch, even if a crash interrupted one and the next begins with the same number. */
export function batchKey({ first, generation, at }: Pick<Envelope, 'first' | 'generation' | 'at'>): string {
  return `${first} ${generation} ${at}`;
}

/** A batch that the view has applied turned out to be void: read the log again, with its key among the voided. */
export class Overtaken {
  readonly batch: string | undefined;

  constructor(batch: string | undefined) {
    this.batch = batch;
  }
}

/** The state of a reader at an offset where everything is settled. */
export interface ReaderState {
  readonly position: number;
  readonly next: number;
  readonly generation: number;
  readonly newest: (Stretch & { readonly line: Envelope }) | undefined;
}

/** Applies the batches of one log to a view, in order. */
export class LogReader<Body> {
  readonly #view: LogView<Body>;
  readonly #header: LogHeader;
  readonly #voided: ReadonlySet<string>;
  readonly #wanted: string | undefined;
  /** Whether the `wanted` batch is valid. */
  found = false;
  /** Whether the log ended with a batch that is not complete when it was last read to its end. */
  endsInBatch = false;
  /** The offset up to which everything is settled. */
  position = 0;
  /** The number of the next line. */
  next = 1;
  /** Whether the log has a header that names its session or namespace. */
  hasHeader = false;
  #generation = 0;
  #newest: ReaderState['newest'];
  #batch: LogEntry<Body>[] = [];
  #damaged: LogPiece[] = [];

  /** @param wanted - The key of a batch to look for, see `found`. */
  constructor(view: LogView<Body>, header: LogHeader, voided: ReadonlySet<string>, wanted?: string) {
    this.#view = view;
    this.#header = header;
    this.#voided = voided;
    this.#wanted = wanted;
    view.reset();
  }

  /** Continues where another reader stopped, with that reader's view. */
  resume({ position, next, generation, newest }: ReaderState): void {
    this.position = position;
    this.next = next;
    this.hasHeader = true;
    this.#generation = generation;
    this.#newest = newest;
  }

  /** What another reader needs to continue; `undefined` in the middle of a batch, or if the header is lost. */
  get state(): ReaderState | undefined {
    if (!this.hasHeader || this.#batch.length > 0 || this.#damaged.length > 0) return undefined;
    return { position: this.position, next: this.next, generation: this.#generation, newest: this.#newest };
  }

  /** The highest generation of its lines, or 0. */
  get generation(): number {
    return this.#generation;
  }

  /** The time of the newest valid batch. */
  get newestAt(): string | undefined {
    return this.#newest?.line.at;
  }

  /** The byte range of the newest valid batch. */
  get newest(): Stretch | undefined {
    return this.#newest && { offset: this.#newest.offset, end: this.#newest.end };
  }

  /** Whether a batch is the newest valid one. */
  isNewest(key: string): boolean {
    return this.#newest !== undefined && batchKey(this.#newest.line) === key;
  }

  /** Reads the next range of the log. Throws {@link Overtaken} if the log must be read again. */
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

  /** Marks the current end of the log: settles damage at the end, and forgets an incomplete batch. */
  atEnd(): void {
    this.endsInBatch = this.#batch.length > 0 && this.#damaged.length === 0;
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
    // The header has no number, so no line is missing.
    if (piece.offset > 0) this.#damaged.push(piece);
  }

  #line(entry: LogEntry<Body>): void {
    const { line } = entry;
    if (line.generation < this.#generation || this.#voided.has(batchKey(line))) return;
    this.#generation = line.generation;
    const open = this.#batch.at(-1)?.line;
    if (open !== undefined && !continues(line, open)) {
      // Its writer continued after the open batch, or took it for interrupted.
      if (line.first > open.last) this.#settleBatch();
      this.#batch = [];
    }
    if (line.first < this.next) throw new Overtaken(this.#overtakenBy(line));
    if (line.first > this.next) this.#reportDamage(line.first - 1);
    // Garbage before a batch without missing numbers is the remains of a void batch after a crash.
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
export function checkHeader(header: LogHeader, expected: LogHeader): void {
  if (header.version !== expected.version) {
    throw new MemoryError(
      'UNSUPPORTED',
      'A newer version of Keepsake wrote this log. Update @keepsake/file to read it.',
    );
  }
  if (header.keepsake !== expected.keepsake || JSON.stringify(header.of) !== JSON.stringify(expected.of)) {
    throw new MemoryError(
      'CORRUPT',
      'A log is in the folder of another id. The folder may have been renamed or copied.',
    );
  }
}

function continues(line: Envelope, open: Envelope): boolean {
  return batchKey(line) === batchKey(open) && line.number > open.number;
}

/** Parses the header or another line. Returns `undefined` for JSON that is neither. */
export function parseLine<Body>(json: string): LogHeader | (Envelope & Body) | undefined {
  let line: Partial<LogHeader & Envelope>;
  try {
    line = JSON.parse(json) ?? {};
  } catch {
    return undefined;
  }
  if (typeof line.keepsake === 'string') return isHeader(line) ? (line as LogHeader) : undefined;
  const { first = 0, number = 0, last = 0, generation = 0, at } = line;
  const sound = [first, number, last, generation].every((value) => Number.isSafeInteger(value) && value > 0);
  return sound && first <= number && number <= last && typeof at === 'string' ? (line as Envelope & Body) : undefined;
}

/** A newer version may name what a log is of in another way. */
function isHeader({ version, of }: Partial<LogHeader>): boolean {
  if (version !== 1) return typeof version === 'number';
  return typeof of === 'string' || (Array.isArray(of) && of.every((segment) => typeof segment === 'string'));
}
