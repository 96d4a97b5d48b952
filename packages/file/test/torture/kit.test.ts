import { show } from '@keepsake/testing/torture/figures';
import { it } from 'vitest';
import { runSessionCases, runStoreCases } from './kit-cases.ts';

/* Guarantees that cases of the conformance kit prove. */

interface Line {
  readonly line: number;
  readonly text: string;
  readonly sessions: readonly string[];
  readonly stores: readonly string[];
}

const lines: Line[] = [
  {
    line: 17,
    text: 'NUL, lone surrogates, emoji, U+2028, BOM, -0, 2^53+1, nested undefined',
    sessions: [
      'NUL characters come back, in values and keys',
      'lone surrogates come back, in values and keys',
      'text of all of Unicode comes back',
      'text is never normalised, in values or keys',
      'line breaks, quotes and backslashes come back',
      'numbers come back to the last bit',
      '-0 comes back as 0',
      'fields that are undefined are left out, at every depth',
      'undefined in a list is refused, not turned into null',
      'NaN and the infinities are refused, not turned into null',
      'bigints are refused',
      'any JSON object comes back as from JSON.parse',
    ],
    stores: [
      'any text comes back unchanged from get and search, to the last character',
      'any text comes back from a batch and from add',
      'any JSON metadata comes back unchanged',
      'field names come back unchanged, whatever they contain',
      'a field that is undefined is left out, and -0 is stored as 0',
      'values that JSON would silently change are refused',
      'a value with NUL or a lone surrogate matches only itself',
      'numbers match to the last digit',
    ],
  },
  {
    line: 18,
    text: '__proto__ and constructor as id, key, filter field, JSON key',
    sessions: [
      'a field named __proto__ comes back as an own field, and pollutes nothing',
      'names of built-in object properties are ordinary fields',
      'ids that are names of built-in object properties are ordinary',
      'operation ids are literal and compared exactly',
    ],
    stores: [
      'the names of object fields are ordinary ids',
      'a field named __proto__ or constructor comes back as an own field, and pollutes nothing',
      'names of built-in object fields are ordinary names: no record has one unless it was stored',
      'a field name is literal, never a path, operator, quote or pattern',
      'any text is a distinct segment: patterns, paths, quotes, devices, separators',
    ],
  },
  {
    line: 19,
    text: 'the caller changes what it passed in or got out',
    sessions: [
      'changing an item after it was added changes nothing stored',
      'changing an item while it is being added changes nothing stored',
      'changing the batch while it is being added changes nothing stored',
      'changing what was read changes nothing stored',
      'two reads share nothing, at any depth',
      'a popped item is not shared with earlier readers',
      'changing a transaction while it is being applied changes nothing stored',
      'changing a compaction while it is being stored changes nothing stored',
      'changing a mutation while it is being applied changes nothing stored',
    ],
    stores: [
      'changing a record after put changes nothing stored',
      'changing a record while put is in flight changes nothing stored',
      'changing the records of a batch, before or after putMany is done, changes nothing stored',
      'changing the metadata passed to add, before or after it is done, changes nothing stored',
      'changing messages while addMessages is in flight changes nothing stored',
      'changing the results of put and putMany changes nothing stored',
      'changing the result of get changes nothing stored',
      'changing the result of list changes nothing stored',
      'changing the result of search changes nothing stored',
      'changing the result of add changes nothing stored',
      'changing a filter while its search runs changes nothing in the search',
      'the namespace of a store is a copy: changing the argument or the result has no effect',
    ],
  },
];

it.for(lines)(
  'guarantee $line is proved by cases of the kit: $text',
  async ({ line, text, sessions, stores }, context) => {
    await runSessionCases(sessions);
    await runStoreCases(stores);
    show(
      context,
      line,
      `${text}: ${sessions.length} cases of the kit pass on FileSession, ${stores.length} on FileStore:`,
      [...sessions, ...stores],
    );
  },
);
