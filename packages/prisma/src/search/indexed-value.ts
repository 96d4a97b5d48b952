import { type FilterField, type FilterRule, type IndexedField, requiredValues } from '@keepsake/core/adapter';
import type { Dialect } from '../database/dialect.ts';
import type { Values } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';
import { scalar, sourceKey } from './filter-fields.ts';

/** The index has this many characters of a value. Records with the same beginning are left out by the filter itself. */
const LONGEST = 200;

/** A value in a field, as the index has it. */
export interface IndexedValue {
  readonly field: string;
  readonly value: string;
}

/** The name of a declared field in the tables. */
export function indexKey({ part, field }: FilterField): string {
  return part === 'source' ? sourceKey(field) : toStorable(field);
}

/** A value that all records that pass a filter have in a declared field: the index leads to them. */
export function indexedValue(
  declared: readonly IndexedField[],
  rules: readonly FilterRule[],
): IndexedValue | undefined {
  const [first] = requiredValues(declared, rules);
  if (first === undefined) return undefined;
  const value = Array.from(scalar(first.value)).slice(0, LONGEST).join('');
  return { field: indexKey(first.field), value };
}

/**
 * A query for what `inner` selects, in its order, if all records of the namespace are indexed by the field: then it has at
 * least one row, of NULLs if `inner` has none. Otherwise it has no rows.
 *
 * @param inner - Given a condition for the rows `v` of the index, which have the records as `v."seq"`.
 */
export function fromIndex(
  dialect: Dialect,
  namespace: NamespaceKey,
  { field, value }: IndexedValue,
  inner: (condition: string) => string,
  values: Values,
): string {
  const name = values.text(field);
  const ready = `SELECT f."number" FROM "keepsake_indexes" i JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
    WHERE i."namespace_key" = ${values.text(namespace.key)} AND f."field" = ${name} AND f."indexed_seq" IS NULL`;
  const number = dialect === 'postgresql' ? 'ready."number"' : `(${ready})`;
  const rows = inner(`v."number" = ${number} AND v."field" = ${name} AND v."value" = ${values.text(value)}`);
  return dialect === 'postgresql'
    ? `SELECT found.* FROM (${ready}) AS ready LEFT JOIN LATERAL (${rows}) AS found ON true`
    : `SELECT found.* FROM (${ready}) AS ready LEFT JOIN (${rows}) AS found`;
}
