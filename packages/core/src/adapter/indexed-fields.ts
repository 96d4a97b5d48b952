import { quoted } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { readList } from '../common/read-values.ts';
import { type FilterRule, fieldNamed } from '../store/filter.ts';

/** The most fields that a store can declare. Each one costs something at every write. */
const MOST_FIELDS = 16;
const LONGEST_NAME = 128;

/**
 * Checks the option `indexed` of a store: the fields of filters that an index serves, by their names in filters.
 *
 * @throws MemoryError `INVALID_ARGUMENT` unless it is a list of at most 16 different names of metadata or source fields, of
 *   1 to 128 characters. The times of records can't be declared.
 */
export function indexedFields(indexed: readonly string[] | undefined): readonly IndexedField[] {
  if (indexed === undefined) return [];
  const names = readList(indexed, 'indexed', "indexed must be a list of field names, such as ['kind', 'tag'].");
  expect(names.length <= MOST_FIELDS, `indexed must have at most ${MOST_FIELDS} fields, got ${names.length}.`);
  const fields = names.map((name) => {
    const isName = typeof name === 'string' && name.length >= 1 && name.length <= LONGEST_NAME && name.isWellFormed();
    expect(isName, `indexed must have field names of 1 to ${LONGEST_NAME} characters.`);
    const { part, field } = fieldNamed(name);
    expect(
      part !== 'time',
      `indexed can't have ${quoted(name)}: it is a time of records, not a field of metadata or source.`,
    );
    return { part, field };
  });
  expect(new Set(names).size === names.length, 'indexed has the same field twice.');
  return fields;
}

/** A field of metadata or source that an index serves. */
export interface IndexedField extends Pick<FilterRule, 'part' | 'field'> {
  readonly part: 'metadata' | 'source';
}
