import { createHash } from 'node:crypto';

/** So many statements get names. A connection keeps all that was prepared on it. */
const MOST = 100;

const names = new Map<string, string>();

/** Gives a statement of ours a name, before it is sent for the first time. */
export function nameStatement(sql: string): void {
  if (names.size >= MOST || names.has(sql)) return;
  names.set(sql, `keepsake_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`);
}

/**
 * For the option `statementNameGenerator` of `@prisma/adapter-pg`: has PostgreSQL parse and plan the statements of Keepsake
 * once a connection, and not each time. At most 100 get a name; any other statement, such as all of yours, gets `''`, and is
 * not prepared.
 */
export function statementName({ sql }: { readonly sql: string }): string {
  return names.get(sql) ?? '';
}
