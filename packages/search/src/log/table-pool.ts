import type { LogTable } from './log-table.ts';

/** The tables of the namespaces that were used last, within a budget of memory. */
export class TablePool {
  readonly #mostBytes: number;
  /** The one that was used last is at the end. */
  readonly #tables = new Map<string, LogTable>();

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

  /** Lets go of the tables that were used least recently, but never of the last one. Searches that use them go on. */
  letGo(): void {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    for (const [key, table] of this.#tables) {
      if (bytes <= this.#mostBytes || this.#tables.size === 1) return;
      bytes -= table.bytes;
      this.#tables.delete(key);
    }
  }
}
