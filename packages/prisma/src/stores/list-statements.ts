import type { RecordList } from '@keepsake/core/adapter';
import { beginsWith } from '../database/begins-with.ts';
import { liveIn } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values, type Written } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';
import { writeRules } from '../search/filter-fields.ts';
import { fromIndex, type IndexedValue } from '../search/indexed-value.ts';
import { recordsOf } from '../search/records-of.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { isHere } from './namespaces.ts';
import { columnsOf, RECORD_COLUMNS } from './record-rows.ts';

type Listed = Pick<RecordList, 'limit' | 'order' | 'idPrefix' | 'rules'>;

/** Reads one record more than a page has, in the order of the namespace. */
export function plainList(dialect: Dialect, namespace: NamespaceKey, list: Listed, after: number | undefined): Written {
  const values = new Values(dialect);
  const { order, limit } = list;
  const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
    WHERE ${isHere(namespace, values)} ${isBeyond('"seq"', order, after, values)} AND ${isListed(dialect, list, values)}
    ORDER BY "seq" ${directionOf(order)} LIMIT ${values.whole(limit + 1)}`;
  return { sql, values };
}

/** The same from the index of a field, see {@link fromIndex}. */
export function indexedList(
  dialect: Dialect,
  namespace: NamespaceKey,
  list: Listed,
  after: number | undefined,
  value: IndexedValue,
): Written {
  const values = new Values(dialect);
  const { order, limit } = list;
  const inner = (condition: string) => `SELECT ${columnsOf('r')}
    FROM "keepsake_field_values" AS v ${recordsOf(dialect, 'v', 'r')}
    WHERE ${condition} AND r.${isHere(namespace, values)} ${isBeyond('v."seq"', order, after, values)} AND ${isListed(dialect, list, values)}
    ORDER BY v."seq" ${directionOf(order)} LIMIT ${values.whole(limit + 1)}`;
  return { sql: fromIndex(dialect, namespace, value, inner, values), values };
}

function isBeyond(seq: string, order: Listed['order'], after: number | undefined, values: Values): string {
  return after === undefined ? '' : `AND ${seq} ${order === 'newest' ? '<' : '>'} ${values.whole(after)}`;
}

function isListed(dialect: Dialect, { idPrefix, rules }: Listed, values: Values): string {
  const begins = idPrefix === undefined ? '' : `${beginsWith('"id"', toStorable(idPrefix), values)} AND`;
  return `${begins} ${liveIn(dialect)} AND ${writeRules(dialect, rules, values)}`;
}

function directionOf(order: Listed['order']): string {
  return order === 'newest' ? 'DESC' : 'ASC';
}
