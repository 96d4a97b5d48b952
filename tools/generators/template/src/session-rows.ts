import type { SessionBackend } from '@keepsake/core/adapter';
import type { Connection, Value } from './connection.ts';

/** The rows of one session. */
export function sessionRows(connection: Connection, id: string): SessionBackend {
  const all = <Found>(sql: string, ...values: Value[]) => connection.all<Found>(sql, id, ...values);
  const newest = (limit: number) => {
    const sql = 'SELECT item FROM keepsake_items WHERE session = ? ORDER BY place DESC LIMIT ?';
    const rows = all<{ item: string }>(sql, limit === Infinity ? -1 : limit).reverse();
    return rows.map(({ item }) => item);
  };
  const append = (items: readonly string[]) => {
    for (const item of items) all('INSERT INTO keepsake_items (session, item) VALUES (?, ?)', item);
    all(
      `INSERT INTO keepsake_sessions (id, created_at, updated_at, activity)
       VALUES (?1, ?2, ?2, (SELECT coalesce(max(activity), 0) + 1 FROM keepsake_sessions))
       ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, activity = excluded.activity`,
      new Date().toISOString(),
    );
  };
  return {
    newest,
    append: (items) => connection.transaction(() => append(items)),
    change: ({ items, operation }, decide) =>
      connection.transaction(() => {
        const digests = 'SELECT digest FROM keepsake_operations WHERE session = ? AND id = ?';
        const edit = decide({
          exists: all('SELECT 1 FROM keepsake_sessions WHERE id = ?').length > 0,
          items: newest(items),
          digest: operation && all<{ digest: string }>(digests, operation.operationId)[0]?.digest,
        });
        if (edit === undefined) return;
        const dropped = 'SELECT place FROM keepsake_items WHERE session = ? ORDER BY place DESC LIMIT ?';
        all(`DELETE FROM keepsake_items WHERE place IN (${dropped})`, edit.drop === Infinity ? -1 : edit.drop);
        append(edit.append);
        if (edit.forgetOperations) all('DELETE FROM keepsake_operations WHERE session = ?');
        if (operation === undefined) return;
        all('INSERT INTO keepsake_operations VALUES (?, ?, ?)', operation.operationId, operation.digest);
      }),
  };
}
