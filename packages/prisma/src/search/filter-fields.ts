import { type FilterValue, type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { type FilterRule, SOURCE_FIELDS, type StoredSource } from '@keepsake/core/adapter';
import type { Dialect } from '../database/dialect.ts';
import { rowsOf, type Values } from '../database/statement.ts';
import { fromStorable, toStorable } from '../database/storable-text.ts';

/**
 * The column that filters read: the value of each metadata field as text after a letter for its type, so that equality is
 * exact in every database. Lists and objects only exist. Includes the fields of the source, see `sourceKey`.
 */
export function writeFields(metadata: JsonObject, source: StoredSource = {}): string {
  const fields = Object.entries(metadata).map(([field, value]) => [toStorable(field), written(value)]);
  const sources = Object.entries(source).map(([field, value]) => [sourceKey(field), scalar(value)]);
  return JSON.stringify(Object.fromEntries([...fields, ...sources]));
}

/**
 * The name of a source field in the column. In storable text, U+FEFE is an escape, and these names do not follow it, so no
 * metadata field can have the same name.
 */
export function sourceKey(field: keyof StoredSource | (string & {})): string {
  return `\ufefe${field}`;
}

/** Selects the source for {@link readSource}. */
export const SOURCE_COLUMNS = SOURCE_FIELDS.map(
  (field) => `"fields" ->> '${sourceKey(field)}' AS "source_${field}"`,
).join(', ');

export type SourceRow = { readonly [field in `source_${keyof StoredSource}`]: string | null };

/** The source of a record; `undefined` if it has none. */
export function readSource(row: SourceRow): StoredSource | undefined {
  const given = SOURCE_FIELDS.flatMap((field) => {
    const scalar = row[`source_${field}`];
    return scalar === null ? [] : [[field, readScalar(scalar)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The text of a field of the source, as the column has it. */
export function readScalar(scalar: string): string {
  return fromStorable(scalar.slice(1));
}

function written(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? 'o' : scalar(value);
}

export function scalar(value: FilterValue): string {
  if (value === null) return 'z';
  return typeof value === 'string' ? `s${toStorable(value)}` : `${typeof value === 'number' ? 'n' : 'b'}${value}`;
}

const TIME_COLUMNS: Readonly<Record<string, string>> = {
  createdAt: '"created_ms"',
  updatedAt: '"updated_ms"',
  expiresAt: '"expires_ms"',
};
const NEVER = '1 = 0';
const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** A condition for records that pass all rules. It is never NULL. */
export function writeRules(dialect: Dialect, rules: readonly FilterRule[], values: Values): string {
  if (rules.length === 0) return '1 = 1';
  return rules
    .map((rule) => {
      const test = rule.part === 'time' ? timeTest(dialect, rule, values) : fieldTest(dialect, rule, values);
      // NULL means that the field is missing. No test passes then, so that a negated one does.
      return `${rule.not ? 'NOT ' : ''}COALESCE(${test}, ${NEVER})`;
    })
    .join(' AND ');
}

function timeTest(dialect: Dialect, rule: FilterRule, values: Values): string {
  const column = TIME_COLUMNS[rule.field] as string;
  const milliseconds = (value: unknown) => Date.parse(String(value));
  switch (rule.operator) {
    case 'exists':
      return `${column} IS NOT NULL`;
    case 'in':
      return isAmong(dialect, column, rule.value.map(milliseconds), 'bigint', values);
    default:
      return `${column} ${signOf(rule.operator)} ${values.whole(milliseconds(rule.value))}`;
  }
}

function fieldTest(dialect: Dialect, rule: FilterRule, values: Values): string {
  const key = rule.part === 'source' ? sourceKey(rule.field) : toStorable(rule.field);
  const field = readField(dialect, key, values);
  switch (rule.operator) {
    case 'exists':
      return `${field} IS NOT NULL`;
    case 'in':
      return isAmong(dialect, field, rule.value.map(scalar), 'text', values);
    default: {
      const sign = signOf(rule.operator);
      if (typeof rule.value === 'string') {
        const order = dialect === 'postgresql' ? ' COLLATE "C"' : '';
        return `substr(${field}, 1, 1) = 's' AND ${field}${order} ${sign} ${values.text(scalar(rule.value))}`;
      }
      const number = dialect === 'postgresql' ? 'double precision' : 'REAL';
      // CASE, because a database may evaluate the parts of AND in any order.
      return `CASE WHEN substr(${field}, 1, 1) = 'n' THEN CAST(substr(${field}, 2) AS ${number}) ${sign} ${values.real(rule.value)} END`;
    }
  }
}

/** Whether a value is one of the choices. */
function isAmong(
  dialect: Dialect,
  value: string,
  choices: readonly (string | number)[],
  type: 'text' | 'bigint',
  values: Values,
): string {
  const [only] = choices;
  if (only === undefined || choices.length > 1) {
    const rows = choices.map((choice) => [choice]);
    return `${value} IN (${rowsOf(dialect, rows, [type], values)})`;
  }
  return `${value} = ${typeof only === 'string' ? values.text(only) : values.whole(only)}`;
}

/** @throws MemoryError `UNSUPPORTED` for an unknown operator, which a later version of core may have. */
function signOf(operator: keyof typeof SIGNS): string {
  if (Object.hasOwn(SIGNS, operator)) return SIGNS[operator];
  throw new MemoryError(
    'UNSUPPORTED',
    `@keepsake/prisma does not know the filter operator ${JSON.stringify(operator)}. Update @keepsake/prisma.`,
  );
}

/** @param key - As it is stored. */
function readField(dialect: Dialect, key: string, values: Values): string {
  const name = values.text(key);
  return dialect === 'postgresql'
    ? `("fields" ->> ${name})`
    : `(SELECT "value" FROM json_each("fields") WHERE "key" = ${name})`;
}
