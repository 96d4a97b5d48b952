import { show } from '@keepsake/testing/torture/figures';
import { it } from 'vitest';
import { runSessionCases, runStoreCases } from './kit-cases.ts';

/* Lines that the conformance kit proves: the cases that do are run by their names. */

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
      'undefined in a list is refused, not made null',
      'NaN and the infinities are refused, not made null',
      'bigints are refused',
      'any JSON object comes back as JSON would give it back',
    ],
    stores: [
      'any text comes back from get and search as it was, to the last sign',
      'any text comes back from a batch and from add',
      'metadata of any JSON come back as they were',
      'field names come back as they were, whatever is in them',
      'a field that is undefined is left out, and -0 is stored as 0',
      'values that JSON would change without saying so are refused',
      'a value with NUL or a lone surrogate matches itself alone',
      'numbers match to the last digit',
    ],
  },
  {
    line: 18,
    text: '__proto__ and constructor as id, key, filter field, JSON key',
    sessions: [
      'a field named __proto__ comes back as an own field, and pollutes nothing',
      'the names of what every object has are ordinary fields',
      'ids that are names of what every object has are ordinary',
      'operation ids are literal texts, told apart in every character',
    ],
    stores: [
      'the names of object fields are ordinary ids',
      'a field named __proto__ or constructor comes back as an own field, and pollutes nothing',
      'the names of object fields are ordinary names: no record has one that it was not given',
      'the name of a field is literal: no path, operator, quote or pattern',
      'any text is a segment of its own: patterns, paths, quotes, devices, separators',
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
      'what two readers get is not shared, at any depth',
      'a popped item is not shared with earlier readers',
      'changing a transaction while it is being applied changes nothing stored',
      'changing a compaction while it is being stored changes nothing stored',
      'changing a mutation while it is being applied changes nothing stored',
    ],
    stores: [
      'changing what was put changes nothing that is stored',
      'changing what is being put, before put is done, changes nothing that is stored',
      'changing the records of a batch, before or after putMany is done, changes nothing that is stored',
      'changing the metadata of an add, before or after it is done, changes nothing that is stored',
      'changing messages, before addMessages is done, changes nothing that is stored',
      'changing what put and putMany gave changes nothing that is stored',
      'changing what get gave changes nothing that is stored',
      'changing what list gave changes nothing that is stored',
      'changing what search gave changes nothing that is stored',
      'changing what add gave changes nothing that is stored',
      'changing a filter while its search runs changes nothing in the search',
      'the path of a store is its own: changing what was passed in or got out moves nothing',
    ],
  },
];

it.for(lines)('line $line is held by cases of the kit', async ({ line, text, sessions, stores }, context) => {
  await runSessionCases(sessions);
  await runStoreCases(stores);
  show(
    context,
    line,
    `${text}: ${sessions.length} cases of the kit pass on FileSession, ${stores.length} on FileStore:`,
    [...sessions, ...stores],
  );
});
