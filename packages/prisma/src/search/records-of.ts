import type { Dialect } from '../database/dialect.ts';

/**
 * Joins a step, which has the numbers of records as `seq`, with the records. Forces a lookup by key, because a planner that
 * guesses wrong reads the whole table.
 */
export function recordsOf(dialect: Dialect, step: string, alias: string): string {
  return dialect === 'postgresql'
    ? `CROSS JOIN LATERAL (SELECT * FROM "keepsake_records" AS k WHERE k."seq" = ${step}."seq" OFFSET 0) AS ${alias}`
    : `CROSS JOIN "keepsake_records" AS ${alias} ON ${alias}."seq" = ${step}."seq"`;
}
