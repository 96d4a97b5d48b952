import type { LogTable } from './log-table.ts';

/** From this many new records in a namespace on, `settle` has its index saved: the next process need not read them all. */
const MANY_WRITTEN = 1_000;

/** In how many namespaces that is counted. */
const MOST_COUNTED = 1_000;

/** Records that this process has put into a namespace. */
interface Written {
  count: number;
  readonly open: () => LogTable;
}

/** The tables of the namespaces that were used last, within a budget of memory. */
export class TablePool {
  readonly #mostBytes: number;
  /** The one that was used last is at the end. */
  readonly #tables = new Map<string, LogTable>();
  /** How much memory each takes, as of the last time that it told. */
  readonly #bytes = new Map<LogTable, number>();
  #total = 0;
  readonly #written = new Map<string, Written>();

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The table of a key, from the pool or a new one. */
  open(key: string, make: () => LogTable): LogTable {
    const table = this.#tables.get(key) ?? make();
    this.#tables.delete(key);
    this.#tables.set(key, table);
    return table;
  }

  /** Notes that records were put into the namespace of a key. */
  noteWritten(key: string, count: number, open: () => LogTable): void {
    const written = this.#written.get(key) ?? { count: 0, open };
    written.count += count;
    this.#written.delete(key);
    this.#written.set(key, written);
    const [oldest] = this.#written.keys();
    if (this.#written.size > MOST_COUNTED && oldest !== undefined) this.#written.delete(oldest);
  }

  /** Brings the tables of namespaces with many new records up to date. Waits until nothing is done in the background. */
  async settle(): Promise<void> {
    const many = [...this.#written.values()].filter(({ count }) => count >= MANY_WRITTEN);
    this.#written.clear();
    for (const { open } of many) {
      // An index is a cache.
      await open()
        .complete()
        .catch(() => {});
    }
    await Promise.all([...this.#tables.values()].map((table) => table.settle()));
  }

  /**
   * Notes how much memory a table takes. Lets go of those that were used least recently, but never of the last one. Searches that
   * use them go on.
   */
  note(key: string, noted: LogTable): void {
    if (this.#tables.get(key) !== noted) return;
    this.#count(noted, noted.bytes);
    for (const [name, table] of this.#tables) {
      if (this.#total <= this.#mostBytes || this.#tables.size === 1) return;
      this.#count(table, 0);
      this.#bytes.delete(table);
      this.#tables.delete(name);
    }
  }

  #count(table: LogTable, bytes: number): void {
    this.#total += bytes - (this.#bytes.get(table) ?? 0);
    this.#bytes.set(table, bytes);
  }
}
