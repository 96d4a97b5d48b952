import type { FilterRule } from '@keepsake/core/adapter';
import { type PoolQuery, REMOTE_POOL, type RemoteWord, timeStretches, type Worth } from '@keepsake/search/remote';
import type { ScriptArgument } from '../client/redis-client.ts';
import { PASSING_DOCUMENTS } from '../lua/search/find-documents.ts';
import { MAX_DATED } from '../lua/search/scores.ts';
import { writeRules } from '../stores/filter-rules.ts';
import type { Swept } from './expired-records.ts';

/** What a script is told about the documents that pass the filter, see {@link packDocuments}. */
export type Passing = readonly [
  are: (typeof PASSING_DOCUMENTS)[keyof typeof PASSING_DOCUMENTS],
  documents: Buffer | '',
];

/** Nothing is known of the documents that pass the filter. */
export const PASSING_UNKNOWN: Passing = [PASSING_DOCUMENTS.unknown, ''];

/** All documents that pass are among these. */
export const passingKnown = (documents: Buffer): Passing => [PASSING_DOCUMENTS.known, documents];

/** The state of a search that nothing was found for yet. */
export const NO_STATE = '';

/** What to find, whatever the words are worth. */
export interface FindArguments {
  readonly analysis: string;
  readonly swept: Swept;
  /** How many documents to find. */
  readonly size: number;
  readonly rules: readonly FilterRule[];
  /** The fields that must be indexed for the rules, see `fieldsFor`. */
  readonly fields: string;
  readonly passing: Passing;
  /** What the last reply `sections` gave, {@link NO_STATE} at first. */
  readonly state: Buffer | typeof NO_STATE;
  /** Whether the query has a vector. */
  readonly hasVector: boolean;
  /** The documents whose vectors are nearest, see {@link packDocuments}. */
  readonly nearest: Buffer;
  readonly times: readonly ScriptArgument[];
}

/** Runs a script that finds documents. */
export type RunFind = (find: FindArguments) => Promise<readonly [code: string, ...details: unknown[]]>;

/** How many of the best documents by words are needed: more if the query names times, because these decide too. */
export function wantedSize({ size, times }: FindArguments): number {
  return times[0] === 0 ? size : Math.max(size, MAX_DATED);
}

/** The arguments of `SEARCH`, in the order in which it reads them. `languages` are those that the query was read for. */
export function searchArguments(
  find: FindArguments,
  languages: readonly string[],
  words: readonly RemoteWord[],
): ScriptArgument[] {
  return [...findArguments(find), languages.join(), ...wordArguments(words)];
}

/** The arguments of `POOL`, in the order in which it reads them. */
export function poolArguments(find: FindArguments, { words, worths, norm }: PoolQuery): ScriptArgument[] {
  return [
    ...[...findArguments(find), norm.average, norm.k1, norm.b],
    ...[worths.length, ...worths.flatMap((worth) => writeWorth(worth, words))],
  ];
}

/** The arguments that scripts read words from. */
export function wordArguments(words: readonly RemoteWord[]): ScriptArgument[] {
  return [words.length, ...words.flatMap(writeWord)];
}

/** The times that a query names, each with its gain and its periods, in milliseconds since 1970. */
export function timeArguments(query: string, now: Date): ScriptArgument[] {
  const times = timeStretches(query, now);
  return [
    times.length,
    ...times.flatMap(({ gain, stretches }) => [
      gain,
      stretches.length,
      ...stretches.flatMap(({ from, to }) => [from, to]),
    ]),
  ];
}

/** Documents as scripts read them, four bytes each. */
export function packDocuments(documents: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * documents.length);
  for (const [n, document] of documents.entries()) bytes.writeUInt32BE(document, 4 * n);
  return bytes;
}

export function unpackDocuments(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32BE(4 * n));
}

function findArguments({
  analysis,
  swept,
  size,
  rules,
  fields,
  passing,
  state,
  hasVector,
  nearest,
  times,
}: FindArguments): ScriptArgument[] {
  return [
    ...[analysis, swept, size, REMOTE_POOL.around],
    ...[writeRules(rules), fields, ...passing, state, hasVector ? '1' : '', nearest, ...times],
  ];
}

function writeWord({ forms, terms, weight, related }: RemoteWord): ScriptArgument[] {
  return [
    weight,
    ...writeList(terms),
    ...writeList(forms.map(({ term }) => term)),
    related.length,
    ...related.flatMap(({ weight, terms }) => [weight, ...writeList(terms)]),
  ];
}

function writeWorth({ word, group, worth }: Worth, words: readonly RemoteWord[]): ScriptArgument[] {
  const { terms, related } = words[word] as RemoteWord;
  const isWord = group === 0;
  return [worth, isWord ? '1' : '', ...writeList(isWord ? terms : (related[group - 1]?.terms ?? []))];
}

function writeList(texts: readonly string[]): ScriptArgument[] {
  return [texts.length, ...texts];
}
