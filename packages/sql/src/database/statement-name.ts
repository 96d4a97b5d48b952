import { createHash } from 'node:crypto';

/** Names for statements whose text varies. With the fixed ones, there are at most 100, because connections keep them all. */
const MOST_VARYING = 85;

const names = new Map<string, string>();

/** Gives a statement of Keepsake a name. Call it before the statement is sent for the first time. */
export function nameStatement(sql: string, isFixed = false): void {
  if ((names.size >= MOST_VARYING && !isFixed) || names.has(sql)) return;
  names.set(sql, `keepsake_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`);
}

/**
 * For the option `statementNameGenerator` of `@prisma/adapter-pg`: PostgreSQL then plans the statements of Keepsake once
 * per connection instead of each time. Names at most 100 statements, and none of yours.
 *
 * @example
 * const adapter = new PrismaPg({ connectionString }, { statementNameGenerator: statementName });
 */
export function statementName({ sql }: { readonly sql: string }): string {
  return names.get(sql) ?? '';
}
