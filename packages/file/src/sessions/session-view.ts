import { LIMITS, MemoryError, type SessionInfo } from '@keepsake/core';
import type { Stretch } from '../disk/disk.ts';
import type { Holdings } from '../log/batch-footer.ts';
import type { CompactableView, Snapshot } from '../log/compaction.ts';
import type { Report } from '../log/corruption.ts';
import type { LogPiece } from '../log/log-line.ts';
import type { LogEntry } from '../log/log-reader.ts';

/** A line of a session's log, beside its envelope. Changes of one kind or several, in the order of these fields. */
export interface SessionLine {
  /** Forget all items and operation ids. */
  readonly clear?: true;
  /** Remove the items of this line number and above. */
  readonly drop?: number;
  /** An operation was done. */
  readonly operation?: { readonly id: string; readonly digest: string };
  /** Append an item. */
  readonly item?: object;
  /** When the session came into being; written by compaction. */
  readonly createdAt?: string;
  /** Changes nothing, see log.ts. */
  readonly seal?: true;
}

/** Writes a line that holds no item. */
export function writeLine(line: Omit<SessionLine, 'item'>): string {
  return JSON.stringify(line);
}

/** Writes a line that appends an item, which is JSON text. */
export function itemLine(item: string): string {
  return `{"item":${item}}`;
}

/** An item: where its line stands; or one that is damaged. */
export interface StoredItem extends Stretch {
  readonly number: number;
  readonly damaged: boolean;
}

/** What the log of a session tells: where the items stand, not the items. */
export class SessionView implements CompactableView<SessionLine> {
  readonly #report: Report;
  items: StoredItem[] = [];
  /** Digests by operation id, in the order of their use; and how long their lines are, where those hold no item. */
  operations = new Map<string, { readonly digest: string; readonly bytes: number }>();
  damagedPieces: LogPiece[] = [];
  /** A damaged line takes the place of an item, and what would remove it is refused. */
  readonly damageMayGo = false;
  /** How many items are sound, and the length of their lines and of those that hold operations. */
  #count = 0;
  #bytes = 0;
  #createdAt: string | undefined;
  #updatedAt: string | undefined;

  constructor(report: Report) {
    this.#report = report;
  }

  /** What a list says of the session; `undefined` before its first line. */
  get info(): Omit<SessionInfo, 'sessionId'> | undefined {
    if (this.#createdAt === undefined || this.#updatedAt === undefined) return undefined;
    return { itemCount: this.#count, createdAt: this.#createdAt, updatedAt: this.#updatedAt };
  }

  /** Whether nothing was ever written, not even what is damaged now. */
  get isNew(): boolean {
    return this.#createdAt === undefined && this.items.length === 0;
  }

  get holdings(): Holdings {
    return { items: this.#count, bytes: this.#bytes, ...this.#since };
  }

  /** What is held when the items of this line number and above are removed. */
  holdingsBelow(number: number): Holdings {
    let { items, bytes } = this.holdings;
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
    // Whether a damaged line held an item can't be told: it stands in the way of whatever would remove it.
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

  /** The newest `count` items, oldest first; fails closed where one of them is damaged. */
  newestSound(count: number): StoredItem[] {
    const newest = this.items.slice(Math.max(0, this.items.length - count));
    if (newest.some((item) => item.damaged)) {
      throw new MemoryError(
        'CORRUPT',
        'A damaged line stands where this would change the history, so nothing was changed. Clear the session, or restore its log from a backup.',
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
    // Who clears a session wants nothing back of it: this is the one change that lets go of damaged lines.
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
