import { prefixEnd } from '@keepsake/internal';
import type { Values } from './statement.ts';

/**
 * A condition for storable texts that begin with a literal prefix. It is a range, which an index can serve, and not a pattern.
 * The column must sort by code point.
 */
export function beginsWith(column: string, prefix: string, values: Values): string {
  const from = `${column} >= ${values.text(prefix)}`;
  const end = prefixEnd(prefix);
  return end === undefined ? from : `${from} AND ${column} < ${values.text(end)}`;
}
