import type { AskedHistory, DecideEdit, HistoryEdit, SessionBackend } from '@keepsake/core/adapter';
import type { Connection } from './connection.ts';

/** The rows of one session. */
export class SessionRows implements SessionBackend {
  readonly #connection: Connection;
  readonly #id: string;

  constructor(connection: Connection, sessionId: string) {
    this.#connection = connection;
    this.#id = sessionId;
  }

  newest(limit: number | undefined): string[] {
    const newestFirst = 'SELECT place, item FROM keepsake_items WHERE session = ? ORDER BY place DESC LIMIT ?';
    return this.#all<{ item: string }>(`SELECT item FROM (${newestFirst}) ORDER BY place`, limit ?? -1).map(
      ({ item }) => item,
    );
  }

  append(items: readonly string[]): void {
    this.#connection.transaction(() => this.#append(items));
  }

  change({ items, operationId }: AskedHistory, decide: DecideEdit): void {
    this.#connection.transaction(() => {
      const digests = 'SELECT digest FROM keepsake_operations WHERE session = ? AND id = ?';
      const edit = decide({
        exists: this.#all('SELECT 1 FROM keepsake_sessions WHERE id = ?').length > 0,
        items: this.newest(items),
        digest: operationId && this.#all<{ digest: string }>(digests, operationId)[0]?.digest,
      });
      if (edit !== undefined) this.#edit(edit);
    });
  }

  #edit({ drop, append, operation, forgetOperations = false }: HistoryEdit): void {
    const dropped = 'SELECT place FROM keepsake_items WHERE session = ? ORDER BY place DESC LIMIT ?';
    const limit = drop === Infinity ? -1 : drop;
    this.#all(`DELETE FROM keepsake_items WHERE place IN (${dropped})`, limit);
    this.#append(append);
    if (forgetOperations) this.#all('DELETE FROM keepsake_operations WHERE session = ?');
    if (operation === undefined) return;
    const { operationId, digest } = operation;
    this.#all('INSERT INTO keepsake_operations (session, id, digest) VALUES (?, ?, ?)', operationId, digest);
  }

  #append(items: readonly string[]): void {
    for (const item of items) this.#all('INSERT INTO keepsake_items (session, item) VALUES (?, ?)', item);
    const now = new Date().toISOString();
    this.#all(
      `INSERT INTO keepsake_sessions (id, created_at, updated_at, activity)
       VALUES (?, ?, ?, (SELECT coalesce(max(activity), 0) + 1 FROM keepsake_sessions))
       ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, activity = excluded.activity`,
      now,
      now,
    );
  }

  /** Runs a statement whose first value is the id of the session. */
  #all<Row>(sql: string, ...values: (string | number)[]): Row[] {
    return this.#connection.all<Row>(sql, this.#id, ...values);
  }
}
