import type { FilterValue } from '@keepsake/core';
import type { FilterRule, IndexedField } from '@keepsake/core/adapter';
import type { Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import type { SectionReader, Sections } from '../snapshot/snapshot.ts';
import { Candidates } from './candidates.ts';
import type { Entries } from './entries.ts';
import type { Entry } from './entry.ts';
import { isExactKey, type RequiredValue, requiredValues, valueKey } from './required-values.ts';
import type { SavedEntries } from './saved-entries.ts';
import { NO_VALUE, packField, SavedField } from './saved-fields.ts';
import type { StoredRecord } from './stored-record.ts';
import { type EntriesOfValue, NO_SLOT, ValueColumn } from './value-column.ts';

/** One declared field: the values of the entries in memory, and those of the rows of a snapshot. */
interface Column<Place> {
  readonly own: ValueColumn<Entry<Place>>;
  saved: SavedField<Place> | undefined;
}

/** Which records of a table have which values in the fields that its store declared. */
export class FieldIndex<Place> {
  readonly #declared: readonly IndexedField[];
  /** By declared field. */
  readonly #columns: readonly Column<Place>[];
  #slots = 0;
  readonly #freeSlots: number[] = [];

  constructor(declared: readonly IndexedField[]) {
    this.#declared = declared;
    this.#columns = declared.map(() => ({ own: new ValueColumn(), saved: undefined }));
  }

  /** Adds an entry, or replaces its values. */
  set(entry: Entry<Place>, record: StoredRecord): void {
    this.#setValues(entry, (field) => keyIn(record, this.#declared[field] as IndexedField));
  }

  remove(entry: Entry<Place>): void {
    if (entry.slot === NO_SLOT) return;
    for (const { own } of this.#columns) own.set(entry, undefined);
    this.#freeSlots.push(entry.slot);
    entry.slot = NO_SLOT;
  }

  /** The fewest entries known to be all that can pass a filter; `undefined` if the filter requires no value of a declared field. */
  candidates(rules: readonly FilterRule[]): Candidates<Place> | undefined {
    const candidates = requiredValues(this.#declared, rules).map((required) => this.#having(required));
    const fewest = Math.min(...candidates.map(({ size }) => size));
    return candidates.find(({ size }) => size === fewest);
  }

  /** Whether an entry passes a filter, if the index alone can tell; `undefined` if it takes its record. */
  test(rules: readonly FilterRule[]): ((entry: Entry<Place> | number) => boolean) | undefined {
    const required = requiredValues(this.#declared, rules);
    if (required.length < rules.length || !required.every(({ value }) => isExactKey(value))) return undefined;
    const candidates = required.map((one) => this.#having(one));
    return (entry) => candidates.every((one) => one.has(entry));
  }

  #having({ field, value }: RequiredValue): Candidates<Place> {
    const { own, saved } = this.#columns[this.#declared.indexOf(field)] as Column<Place>;
    return new Candidates(own.entriesOf(valueKey(value)), saved);
  }

  /** The sections of a snapshot of `count` entries. `byCreation` are their rows in the order of creation. */
  *sections(entries: Entries<Place>, count: number, byCreation: Uint32Array): Sections {
    for (const [field, { own, saved }] of this.#columns.entries()) {
      const numbers = new Uint32Array(count);
      const values = new Numbering(saved);
      let row = 0;
      for (const savedRow of entries.savedRows()) {
        numbers[row] = values.ofSaved((saved as SavedField<Place>).numberOf(savedRow));
        if (endsStep(row++)) yield;
      }
      for (const entry of entries.inMemory()) {
        numbers[row] = values.of(own.of(entry));
        if (endsStep(row++)) yield;
      }
      yield* packField(field, numbers, values.all(), byCreation);
    }
  }

  /** Opens what {@link sections} wrote. */
  *opening(section: SectionReader, entries: SavedEntries<Place>): Steps<void> {
    for (const [field, column] of this.#columns.entries()) {
      column.saved = yield* SavedField.opening(field, section, entries);
    }
  }

  /** Brings the values of all rows into memory. `entries` are those of the rows in their order. */
  *loading(entries: Iterable<Entry<Place>>): Steps<void> {
    if (this.#columns.length === 0) return;
    const saved = this.#columns.map(({ saved }) => saved as SavedField<Place>);
    const values = saved.map((field) => field.allValues());
    let row = 0;
    for (const entry of entries) {
      this.#setValues(entry, (field) => values[field]?.[(saved[field] as SavedField<Place>).numberOf(row) - 1]);
      if (endsStep(row++)) yield;
    }
    for (const column of this.#columns) column.saved = undefined;
  }

  #setValues(entry: Entry<Place>, ofField: (field: number) => string | undefined): void {
    if (this.#columns.length === 0) return;
    if (entry.slot === NO_SLOT) entry.slot = this.#freeSlots.pop() ?? this.#slots++;
    for (const [field, { own }] of this.#columns.entries()) own.set(entry, ofField(field));
  }
}

/** Numbers values from 1 in the order in which they are asked for. */
class Numbering<Place> {
  readonly #saved: SavedField<Place> | undefined;
  /** By the number that a value has in the snapshot before. */
  readonly #ofSaved = new Map<number, number>();
  readonly #ofOwn = new Map<EntriesOfValue<Entry<Place>>, number>();
  /** Numbers of the snapshot before, and values that are not in it. */
  readonly #values: (number | string)[] = [];

  constructor(saved: SavedField<Place> | undefined) {
    this.#saved = saved;
  }

  ofSaved(number: number): number {
    return number === NO_VALUE ? NO_VALUE : this.#numberOf(this.#ofSaved, number, number);
  }

  of(entries: EntriesOfValue<Entry<Place>> | undefined): number {
    if (entries === undefined) return NO_VALUE;
    const ownNumber = this.#ofOwn.get(entries);
    if (ownNumber !== undefined) return ownNumber;
    const saved = this.#saved?.find(entries.value) ?? NO_VALUE;
    if (saved === NO_VALUE) return this.#numberOf(this.#ofOwn, entries, entries.value);
    const number = this.ofSaved(saved);
    this.#ofOwn.set(entries, number);
    return number;
  }

  /** The values in the order of their numbers. */
  *all(): Iterable<string> {
    for (const value of this.#values) {
      yield typeof value === 'string' ? value : (this.#saved as SavedField<Place>).valueOf(value);
    }
  }

  #numberOf<Key>(numbers: Map<Key, number>, key: Key, value: number | string): number {
    const number = numbers.get(key) ?? this.#values.push(value);
    numbers.set(key, number);
    return number;
  }
}

/** What a filter can compare with; lists and objects equal no value. */
function keyIn({ metadata, source = {} }: StoredRecord, { part, field }: IndexedField): string | undefined {
  const fields = part === 'metadata' ? metadata : source;
  const value: unknown = Object.hasOwn(fields, field) ? (fields as Record<string, unknown>)[field] : undefined;
  const isValue = value === null || (value !== undefined && typeof value !== 'object');
  return isValue ? valueKey(value as FilterValue) : undefined;
}
