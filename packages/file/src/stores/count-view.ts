import type { Report } from '../log/corruption.ts';
import type { LogPiece } from '../log/log-line.ts';
import type { LogEntry, LogView } from '../log/log-reader.ts';
import { isMemoryLine, type MemoryLine } from './memory-line.ts';

/** How many records a log has, without indexing them for search. */
export class CountView implements LogView<MemoryLine> {
  readonly #report: Report;
  /** When each record expires, in milliseconds since 1970; `Infinity` for never. */
  #expiries = new Map<string, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** The records that are not expired, and when the next of them expires. */
  count(now: number): { readonly count: number; readonly expires: number } {
    let count = 0;
    let expires = Infinity;
    for (const at of this.#expiries.values()) {
      if (at <= now) continue;
      count++;
      if (at < expires) expires = at;
    }
    return { count, expires };
  }

  reset(): void {
    this.#expiries = new Map();
  }

  apply({ line, offset }: LogEntry<MemoryLine>): void {
    if (!isMemoryLine(line)) {
      this.#report(line.number, line.number, offset);
      return;
    }
    const { put, delete: deleted } = line;
    if (put !== undefined)
      this.#expiries.set(put.id, put.expiresAt === undefined ? Infinity : Date.parse(put.expiresAt));
    if (deleted !== undefined) this.#expiries.delete(deleted);
  }

  damageHeader(): void {
    this.#report(0, 0);
  }

  damage(from: number, to: number, pieces: readonly LogPiece[]): void {
    this.#report(from, to, pieces[0]?.offset);
  }
}
