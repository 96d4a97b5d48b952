import type { FilterRule, FilterValue, JsonObject, JsonValue } from '@keepsake/core';
import type { Dialect } from './database.ts';
import { rowsOf, type Values } from './statement.ts';
import { toStorable } from './storable-text.ts';

/**
 * What filters see of metadata: each field's value as text, after a letter for its type, so that equal is equal to the last
 * digit in every database. Lists and objects are just there.
 */
export function writeFields(metadata: JsonObject): string {
  const fields = Object.entries(metadata).map(([field, value]) => [toStorable(field), written(value)]);
  return JSON.stringify(Object.fromEntries(fields));
}

function written(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? 'o' : scalar(value);
}

function scalar(value: FilterValue): string {
  if (value === null) return 'z';
  return typeof value === 'string' ? `s${toStorable(value)}` : `${typeof value === 'number' ? 'n' : 'b'}${value}`;
}

const COLUMNS: Readonly<Record<string, string>> = {
  createdAt: '"created_ms"',
  updatedAt: '"updated_ms"',
  expiresAt: '"expires_ms"',
};
const NEVER = '1 = 0';
const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** A condition that a record of the table meets when it passes all rules; it is never NULL. */
export function writeRules(dialect: Dialect, rules: readonly FilterRule[], values: Values): string {
  const write = (rule: FilterRule) => (rule.time ? timeRule : fieldRule)(dialect, rule, values);
  const conditions = rules.map(write);
  return conditions.length === 0
    ? '1 = 1'
    : conditions.map((condition) => `COALESCE(${condition}, ${NEVER})`).join(' AND ');
}

function timeRule(dialect: Dialect, rule: FilterRule, values: Values): string {
  const column = COLUMNS[rule.field] as string;
  const milliseconds = (value: unknown) => Date.parse(String(value));
  const time = (value: unknown) => values.whole(milliseconds(value));
  switch (rule.operator) {
    case 'exists':
      return `${column} IS ${rule.value ? 'NOT ' : ''}NULL`;
    case 'eq':
      return `${column} = ${time(rule.value)}`;
    case 'in': {
      const times = rule.value.map((value) => [milliseconds(value)]);
      return `${column} IN (${rowsOf(dialect, times, ['bigint'], values)})`;
    }
    default:
      return `${column} ${SIGNS[rule.operator]} ${time(rule.value)}`;
  }
}

function fieldRule(dialect: Dialect, rule: FilterRule, values: Values): string {
  const field = readField(dialect, rule.field, values);
  switch (rule.operator) {
    case 'exists':
      return `${field} IS ${rule.value ? 'NOT ' : ''}NULL`;
    case 'eq':
      return `${field} = ${values.text(scalar(rule.value))}`;
    case 'in': {
      const scalars = rule.value.map((value) => [scalar(value)]);
      return `${field} IN (${rowsOf(dialect, scalars, ['text'], values)})`;
    }
    default: {
      const sign = SIGNS[rule.operator];
      if (typeof rule.value === 'string') {
        const order = dialect === 'postgresql' ? ' COLLATE "C"' : '';
        return `substr(${field}, 1, 1) = 's' AND ${field}${order} ${sign} ${values.text(scalar(rule.value))}`;
      }
      const number = dialect === 'postgresql' ? 'double precision' : 'REAL';
      // In a CASE, as a database may look at the parts of an AND in any order.
      return `CASE WHEN substr(${field}, 1, 1) = 'n' THEN CAST(substr(${field}, 2) AS ${number}) ${sign} ${values.real(rule.value)} END`;
    }
  }
}

function readField(dialect: Dialect, field: string, values: Values): string {
  const name = values.text(toStorable(field));
  return dialect === 'postgresql'
    ? `("fields" ->> ${name})`
    : `(SELECT "value" FROM json_each("fields") WHERE "key" = ${name})`;
}
