import type { FilterValue } from '@keepsake/core';
import type { FilterRule, IndexedField } from '@keepsake/core/adapter';

const LONGEST_KEY = 200;

/** A value that all records that pass a filter have in a declared field: an index can lead to them. */
export interface RequiredValue {
  readonly field: IndexedField;
  readonly value: FilterValue;
}

/** The values that a filter requires of declared fields, in the order of its rules. */
export function requiredValues(declared: readonly IndexedField[], rules: readonly FilterRule[]): RequiredValue[] {
  return rules.flatMap((rule) => {
    if (rule.operator !== 'in' || rule.not || rule.value.length !== 1) return [];
    const field = declared.find((one) => one.part === rule.part && one.field === rule.field);
    return field === undefined ? [] : [{ field, value: rule.value[0] as FilterValue }];
  });
}

/**
 * A text of at most 200 characters for a value in an index: the same for equal values, and another for a value of another
 * type. Long texts with the same beginning share one, so an index finds all records with a value and maybe some others.
 */
export function valueKey(value: FilterValue): string {
  if (typeof value === 'string') return `s${value}`.slice(0, LONGEST_KEY).toWellFormed();
  return `${typeof value === 'number' ? 'n' : 'o'}${value === 0 ? 0 : value}`;
}

/** Whether only equal values have the key of a value. U+FFFD stands for lone surrogates. */
export function isExactKey(value: FilterValue): boolean {
  return (
    typeof value !== 'string' || (value.length < LONGEST_KEY - 1 && value.isWellFormed() && !value.includes('\ufffd'))
  );
}
