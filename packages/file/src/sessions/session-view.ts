import { MemoryError, type SessionInfo } from '@keepsake/core';
import { LIMITS } from '@keepsake/core/adapter';
import type { Stretch } from '../disk/disk.ts';
import type { SessionTotals } from '../log/batch-footer.ts';
import type { CompactableView, Snapshot } from '../log/compaction.ts';
import type { Report } from '../log/corruption.ts';
import type { LogPiece } from '../log/log-line.ts';
import type { LogEntry } from '../log/log-reader.ts';

/** A line of a session's log, without its envelope. One or more changes, applied in the order of these fields. */
export interface SessionLine {
  /** Remove all items and operation ids. */
  readonly clear?: true;
  /** Remove the items from this line number on. */
  readonly drop?: number;
  /** An operation was applied. */
  readonly operation?: { readonly id: string; readonly digest: string };
  /** Append an item. */
  readonly item?: object;
  /** When the session was created. Written by compaction. */
  readonly createdAt?: string;
  /** Changes nothing, see log.ts. */
  readonly seal?: true;
}

/** Encodes a line without an item. */
export function writeLine(line: Omit<SessionLine, 'item'>): string {
  return JSON.stringify(line);
}

/** Encodes a line that appends an item, given as JSON text. */
export function itemLine(item: string): string {
  return `{"item":${item}}`;
}

/** The byte range of an item's line, or a damaged item. */
export interface StoredItem extends Stretch {
  readonly number: number;
  readonly damaged: boolean;
}

/** The state of a session's log: the positions of its items, not the items. */
export class SessionView implements CompactableView<SessionLine> {
  readonly #report: Report;
  items: StoredItem[] = [];
  /** Digests by operation id, in order of use, with the length of their lines if those have no item. */
  operations = new Map<string, { readonly digest: string; readonly bytes: number }>();
  damagedPieces: LogPiece[] = [];
  /** A damaged line counts as an item, and changes that would remove it are refused. */
  readonly damageMayGo = false;
  /** The number of intact items, and the length of their lines and of those with operations. */
  #count = 0;
  #bytes = 0;
  #createdAt: string | undefined;
  #updatedAt: string | undefined;

  constructor(report: Report) {
    this.#report = report;
  }

  /** The session's entry for a list; `undefined` before its first line. */
  get info(): Omit<SessionInfo, 'sessionId'> | undefined {
    if (this.#createdAt === undefined || this.#updatedAt === undefined) return undefined;
    return { itemCount: this.#count, createdAt: this.#createdAt, updatedAt: this.#updatedAt };
  }

  /** Whether nothing was ever written, not even a line that is damaged now. */
  get isNew(): boolean {
    return this.#createdAt === undefined && this.items.length === 0;
  }

  get totals(): SessionTotals {
    return { items: this.#count, bytes: this.#bytes, ...this.#since };
  }

  /** The totals after removing the items from this line number on. */
  totalsBelow(number: number): SessionTotals {
    let { items, bytes } = this.totals;
    for (let index = this.items.length - 1; (this.items[index]?.number ?? -1) >= number; index--) {
      const item = this.items[index] as StoredItem;
      if (item.damaged) continue;
      items--;
      bytes -= item.end - item.offset;
    }
    return { items, bytes, ...this.#since };
  }

  get #since(): { readonly since?: string } {
    return this.#createdAt === undefined ? {} : { since: this.#createdAt };
  }

  get liveBytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  reset(): void {
    this.items = [];
    this.operations = new Map();
    this.damagedPieces = [];
    this.#count = 0;
    this.#bytes = 0;
    this.#createdAt = undefined;
    this.#updatedAt = undefined;
  }

  apply({ line, offset, end }: LogEntry<SessionLine>): void {
    if (line.clear) this.#clear();
    if (line.drop !== undefined) this.#drop(line.drop);
    if (line.operation) this.#remember(line.operation, line.item ? 0 : end - offset);
    if (line.item) this.#push({ number: line.number, offset, end, damaged: false });
    this.#createdAt ??= line.createdAt ?? line.at;
    this.#updatedAt = line.at;
  }

  damageHeader(): void {
    this.#report(0, 0);
  }

  damage(from: number, to: number, pieces: readonly LogPiece[]): void {
    const { offset = 0, end = offset } = pieces[0] ?? {};
    // A damaged line may have been an item, so it blocks every change that would remove it.
    for (let number = from; number <= to; number++) this.#push({ number, offset, end, damaged: true });
    this.damagedPieces.push(...pieces);
    this.#report(from, to, pieces[0]?.offset);
  }

  snapshot(): Snapshot {
    return {
      before: [
        writeLine({ clear: true, ...(this.#createdAt === undefined ? {} : { createdAt: this.#createdAt }) }),
        ...[...this.operations].map(([id, { digest }]) => writeLine({ operation: { id, digest } })),
      ],
      lines: this.items.filter((item) => !item.damaged),
      after: [],
    };
  }

  carryOver({ item }: SessionLine): string {
    return itemLine(JSON.stringify(item));
  }

  /** The newest `count` items, oldest first. Throws if one of them is damaged. */
  newestSound(count: number): StoredItem[] {
    const newest = this.items.slice(Math.max(0, this.items.length - count));
    if (newest.some((item) => item.damaged)) {
      throw new MemoryError(
        'CORRUPT',
        'A damaged line is where this would change the history, so nothing was changed. Clear the session, or restore its log from a backup.',
      );
    }
    return newest;
  }

  #push(item: StoredItem): void {
    this.items.push(item);
    this.#account(item, 1);
  }

  #account(item: StoredItem, sign: 1 | -1): void {
    if (item.damaged) return;
    this.#count += sign;
    this.#bytes += sign * (item.end - item.offset);
  }

  #drop(from: number): void {
    for (let last = this.items.at(-1); last !== undefined && last.number >= from; last = this.items.at(-1)) {
      this.items.pop();
      this.#account(last, -1);
    }
  }

  #clear(): void {
    this.items = [];
    this.operations = new Map();
    // Clearing a session is final, so it is the one change that drops damaged lines.
    this.damagedPieces = [];
    this.#count = 0;
    this.#bytes = 0;
  }

  #remember({ id, digest }: { readonly id: string; readonly digest: string }, bytes: number): void {
    this.operations.set(id, { digest, bytes });
    this.#bytes += bytes;
    const [oldest] = this.operations;
    if (this.operations.size <= LIMITS.operationIds || oldest === undefined) return;
    this.operations.delete(oldest[0]);
    this.#bytes -= oldest[1].bytes;
  }
}
