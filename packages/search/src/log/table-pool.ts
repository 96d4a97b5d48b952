import type { LogTable } from './log-table.ts';

/** The tables of the namespaces that were used last, within a budget of memory. */
export class TablePool {
  readonly #mostBytes: number;
  /** The one that was used last is at the end. */
  readonly #tables = new Map<string, LogTable>();
  /** How much memory each takes, as of the last time that it told. */
  readonly #bytes = new Map<LogTable, number>();
  #total = 0;

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

  /** Waits until none of them does something in the background. */
  async settle(): Promise<void> {
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
