import type { FilterValue } from '@keepsake/core';
import { type FilterRule, type IndexedField, requiredValues, valueKey } from '@keepsake/core/adapter';
import { RowReader, RowWriter } from '../snapshot/rows.ts';
import { decodeTexts, encodeList, type SectionReader, unusable } from '../snapshot/snapshot.ts';
import { endsStep, type Steps } from '../snapshot/steps.ts';
import type { CreationOrder } from './creation-order.ts';
import type { StoredRecord } from './stored-record.ts';
import { type EntriesOfValue, NO_SLOT, type Slotted, ValueColumn } from './value-column.ts';

/** Stands for a record without a value in a snapshot. The values are counted from 1. */
const NONE = 0;

/** The sections of a snapshot: the number of each value, by record and field, and the values of each field. */
type PackedFields = Readonly<Record<string, Uint8Array>>;

/** Which records of a table have which values in the fields that its store declared. */
export class FieldIndex<Entry extends Slotted> {
  readonly #declared: readonly IndexedField[];
  /** By declared field. */
  readonly #columns: readonly ValueColumn<Entry>[];
  #slots = 0;
  readonly #freeSlots: number[] = [];

  constructor(declared: readonly IndexedField[]) {
    this.#declared = declared;
    this.#columns = declared.map(() => new ValueColumn());
  }

  /** Adds an entry, or replaces its values. */
  set(entry: Entry, record: StoredRecord): void {
    this.#setValues(entry, (field) => keyIn(record, this.#declared[field] as IndexedField));
  }

  remove(entry: Entry): void {
    if (entry.slot === NO_SLOT) return;
    for (const column of this.#columns) column.set(entry, undefined);
    this.#freeSlots.push(entry.slot);
    entry.slot = NO_SLOT;
  }

  /** The fewest entries known to be all that can pass a filter; `undefined` if the filter requires no value of a declared field. */
  candidates(rules: readonly FilterRule[]): CreationOrder<Entry> | undefined {
    const found = requiredValues(this.#declared, rules).map(({ field, value }) =>
      (this.#columns[this.#declared.indexOf(field)] as ValueColumn<Entry>).entriesOf(valueKey(value)),
    );
    const fewest = Math.min(...found.map(({ size }) => size));
    return found.find(({ size }) => size === fewest);
  }

  /** The values of entries, in this order. */
  *packing(entries: readonly Entry[]): Steps<PackedFields> {
    if (this.#columns.length === 0) return {};
    const numbers = this.#columns.map(() => new Map<EntriesOfValue<Entry>, number>());
    const rows = new RowWriter();
    for (const [row, entry] of entries.entries()) {
      if (endsStep(row)) yield;
      rows.write(
        this.#columns.map((column, field) => numberOf(column.of(entry), numbers[field] as Map<unknown, number>)),
      );
    }
    const sections: Record<string, Uint8Array> = { fields: rows.bytes };
    for (const [field, known] of numbers.entries()) {
      sections[valuesOf(field)] = encodeList([...known.keys()].map(({ value }) => value));
      yield;
    }
    return sections;
  }

  /** Gives entries the values that were packed in the same order. */
  *unpacking(section: SectionReader, entries: Iterable<Entry>): Steps<void> {
    if (this.#columns.length === 0) return;
    const values: (readonly string[])[] = [];
    for (const field of this.#columns.keys()) values.push(yield* decodeTexts(section(valuesOf(field))));
    const rows = new RowReader(section('fields'), this.#columns.length);
    let read = 0;
    for (const entry of entries) {
      const row = rows.read();
      this.#setValues(entry, (field) => {
        const number = row[field] as number;
        return number === NONE ? undefined : (values[field]?.[number - 1] ?? unusable());
      });
      if (endsStep(read++)) yield;
    }
    if (!rows.atEnd) unusable();
  }

  #setValues(entry: Entry, ofField: (field: number) => string | undefined): void {
    if (entry.slot === NO_SLOT) entry.slot = this.#freeSlots.pop() ?? this.#slots++;
    for (const [field, column] of this.#columns.entries()) column.set(entry, ofField(field));
  }
}

function valuesOf(field: number): string {
  return `values of field ${field}`;
}

function numberOf(value: unknown, numbers: Map<unknown, number>): number {
  if (value === undefined) return NONE;
  const number = numbers.get(value) ?? numbers.size + 1;
  numbers.set(value, number);
  return number;
}

/** What a filter can compare with; lists and objects equal no value. */
function keyIn({ metadata, source = {} }: StoredRecord, { part, field }: IndexedField): string | undefined {
  const fields = part === 'metadata' ? metadata : source;
  const value: unknown = Object.hasOwn(fields, field) ? (fields as Record<string, unknown>)[field] : undefined;
  const isValue = value === null || (value !== undefined && typeof value !== 'object');
  return isValue ? valueKey(value as FilterValue) : undefined;
}
