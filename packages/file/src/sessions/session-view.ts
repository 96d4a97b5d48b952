import type { SessionInfo } from '@keepsake/core';
import { AppliedOperations } from '@keepsake/core/adapter';
import type { Stretch } from '../disk/disk.ts';
import type { SessionTotals } from '../log/batch-footer.ts';
import type { CompactableView, Snapshot } from '../log/compaction.ts';
import type { Report } from '../log/corruption.ts';
import type { LogPiece } from '../log/log-line.ts';
import type { LogEntry } from '../log/log-reader.ts';

type EarlierOperation = readonly [id: string, digest: string, appliedMs: number];

/** A line of a session's log, without its envelope. One or more changes, applied in the order of these fields. */
export interface SessionLine {
  /** Remove all items and operation ids. */
  readonly clear?: true;
  /** Remove the items from this line number on. */
  readonly drop?: number;
  /** An operation was applied. */
  readonly operation?: { readonly id: string; readonly digest: string };
  /** Operations that were applied earlier, and when, in milliseconds since 1970. Written by compaction. */
  readonly operations?: readonly EarlierOperation[];
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

/** An operation that the session remembers. */
interface StoredOperation {
  readonly digest: string;
  readonly appliedMs: number;
  /** What its line adds to the live bytes: nothing if another operation or an item accounts for the line. */
  readonly bytes: number;
}

const FEW_OPERATIONS_BYTES = 64 * 1024;

/** How many operations compaction writes to one line. */
const OPERATIONS_PER_LINE = 500;

/** The state of a session's log: the positions of its items, not the items. */
export class SessionView implements CompactableView<SessionLine> {
  readonly #report: Report;
  items: StoredItem[] = [];
  operations = new AppliedOperations<StoredOperation>();
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

  /** A log with many operations is not, because each change that leaves no items would write it again. */
  get isEmpty(): boolean {
    return this.#count === 0 && this.#bytes < FEW_OPERATIONS_BYTES;
  }

  reset(): void {
    this.items = [];
    this.operations = new AppliedOperations();
    this.damagedPieces = [];
    this.#count = 0;
    this.#bytes = 0;
    this.#createdAt = undefined;
    this.#updatedAt = undefined;
  }

  apply({ line, offset, end }: LogEntry<SessionLine>): void {
    if (line.clear) this.#clear();
    if (line.drop !== undefined) this.#drop(line.drop);
    const bytes = line.item ? 0 : end - offset;
    if (line.operation) this.#remember([line.operation.id, line.operation.digest, Date.parse(line.at)], bytes);
    if (line.operations) this.#rememberAll(line.operations, bytes);
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
    // A spread of very many overflows the stack.
    for (const piece of pieces) this.damagedPieces.push(piece);
    this.#report(from, to, pieces[0]?.offset);
  }

  snapshot(): Snapshot {
    if (this.#updatedAt !== undefined) {
      this.#forget(this.operations.forgetOld(Date.parse(this.#updatedAt), this.#count));
    }
    return {
      before: [
        writeLine({ clear: true, ...(this.#createdAt === undefined ? {} : { createdAt: this.#createdAt }) }),
        ...operationLines([...this.operations.entries()]),
      ],
      lines: this.items.filter((item) => !item.damaged),
      after: [],
    };
  }

  carryOver({ item }: SessionLine): string {
    return itemLine(JSON.stringify(item));
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
    this.operations = new AppliedOperations();
    // Clearing a session is final, so it is the one change that drops damaged lines.
    this.damagedPieces = [];
    this.#count = 0;
    this.#bytes = 0;
  }

  #remember([id, digest, appliedMs]: EarlierOperation, bytes: number, itemCount = this.#count): void {
    this.#bytes += bytes;
    this.#forget(this.operations.add(id, { digest, appliedMs, bytes }, itemCount));
  }

  #rememberAll(operations: readonly EarlierOperation[], bytes: number): void {
    for (const [index, operation] of operations.entries()) {
      const isLast = index === operations.length - 1;
      // The items follow in later lines. Until their number is known, nothing is forgotten.
      this.#remember(operation, isLast ? bytes : 0, Infinity);
    }
  }

  #forget(operations: readonly StoredOperation[]): void {
    for (const { bytes } of operations) this.#bytes -= bytes;
  }
}

/** Lines that hold many operations each, so that they take less space than the lines that added them. */
function operationLines(operations: readonly (readonly [id: string, operation: StoredOperation])[]): string[] {
  const lines: string[] = [];
  for (let start = 0; start < operations.length; start += OPERATIONS_PER_LINE) {
    const some = operations.slice(start, start + OPERATIONS_PER_LINE);
    lines.push(writeLine({ operations: some.map(([id, { digest, appliedMs }]) => [id, digest, appliedMs]) }));
  }
  return lines;
}
