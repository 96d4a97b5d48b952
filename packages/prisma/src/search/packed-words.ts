import type { IndexedField } from '@keepsake/core/adapter';
import {
  type BlockPostings,
  blockOf,
  firstDocumentOf,
  type LengthNorm,
  mergedPostings,
  placeOf,
  postingOf,
  quantizedFrequency,
  type TimeStretches,
  withoutPlaces,
} from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';
import { type Document, documentsOf } from './documents.ts';
import type { Feature, WeighedFeature } from './features.ts';
import { wordLists } from './word-lists.ts';

/** What to find in the blocks of a namespace. */
export interface PackedQuery {
  readonly namespace: NamespaceKey;
  readonly features: readonly WeighedFeature[];
  /** All records in the namespace. */
  readonly records: number;
  readonly norm: LengthNorm;
  readonly times: readonly TimeStretches[];
  readonly poolSize: number;
  /** The fields that an index serves. */
  readonly indexed: readonly IndexedField[];
}

/** What an index has of some features. The scorer numbers records as documents. */
export interface PackedWords {
  /** By feature: its postings. Lists of one block are scored separately. */
  readonly features: readonly BlockPostings[];
  /** The record that is a document. */
  readonly documentOf: (document: number) => Document;
  /** Which places records have in blocks: the same text as long as no block is written again. `undefined` if records keep theirs. */
  readonly places: string | undefined;
}

interface WordRow {
  readonly kind: 'packed' | 'gone' | 'word' | 'rest';
  readonly n: unknown;
  /** Base64, which the driver reads in half the time of bytes. */
  readonly data: string | null;
}

/** How often a record that is in no block has words of a part of a feature. */
export type RestRow = readonly [seq: number, length: number, feature: number, part: number, times: number];

/** Reads what the index of a namespace has of some features, on PostgreSQL; `undefined` if the namespace has no blocks. */
export async function readPackedWords(
  database: Database,
  namespace: NamespaceKey,
  features: readonly Feature[],
  signal: AbortSignal | undefined,
): Promise<PackedWords | undefined> {
  const values = new Values(database.dialect);
  const lists = wordLists(namespace, features);
  const sql = `SELECT "kind", "n", encode("data", 'base64') AS "data" FROM keepsake_read_words(${values.texts(lists.tokens)},
    CAST(${values.texts(lists.features)} AS integer[]), CAST(${values.texts(lists.parts)} AS integer[]), ${values.text(namespace.key)})`;
  const rows = await database.readRows<WordRow>({ sql, values }, signal);
  if (rows.length === 0) return undefined;
  const dataOf = (kind: WordRow['kind']) => bytesOf(rows.find((row) => row.kind === kind)?.data);
  const gone = readGone(dataOf('gone'));
  // By feature and block: the lists of each part.
  const found = features.map(() => new Map<number, Map<number, Uint8Array[]>>());
  let restBlock = 0;
  const add = (feature: number, block: number, part: number, postings: Uint8Array) => {
    const parts = getOrCreate(found[feature] as Map<number, Map<number, Uint8Array[]>>, block, () => new Map());
    getOrCreate(parts, part, () => []).push(postings);
    restBlock = Math.max(restBlock, block + 1);
  };
  for (const { kind, n, data } of rows) {
    const word = lists.words[Number(n) - 1];
    if (kind !== 'word' || word === undefined) continue;
    for (const [block, postings] of readLists(bytesOf(data))) {
      const places = gone.get(block);
      add(word.feature, block, word.part, places === undefined ? postings : withoutPlaces(postings, places));
    }
  }
  const rest = JSON.parse(dataOf('rest').toString() || '[]') as RestRow[];
  const places = dataOf('packed').toString();
  const seqs = [...new Set(rest.map(([seq]) => seq))].sort((a, b) => a - b);
  const first = firstDocumentOf(restBlock);
  const documents = new Map(seqs.map((seq, index) => [seq, first + index]));
  const documentOf = documentsOf(restBlock, seqs);
  addRest(rest, (seq) => documents.get(seq) as number, add);
  return { documentOf, features: found.map(asPostings), places };
}

function bytesOf(data: string | null | undefined): Buffer {
  return Buffer.from(data ?? '', 'base64');
}

/** The places to leave out, by block. */
function readGone(data: Uint8Array): Map<number, Set<number>> {
  const gone = new Map<number, Set<number>>();
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < data.length; at += 6) {
    getOrCreate(gone, view.getInt32(at), () => new Set<number>()).add(view.getUint16(at + 4));
  }
  return gone;
}

/** The postings of a word, by block. */
function* readLists(data: Uint8Array): Iterable<readonly [block: number, postings: Uint8Array]> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < data.length; ) {
    const end = at + 8 + view.getInt32(at + 4);
    yield [view.getInt32(at), data.subarray(at + 8, end)];
    at = end;
  }
}

/** Adds what the records that are in no block have. */
export function addRest(
  rows: readonly RestRow[],
  documentOf: (seq: number) => number,
  add: (feature: number, block: number, part: number, postings: Uint8Array) => void,
): void {
  const lists = new Map<string, number[]>();
  for (const [seq, length, feature, part, times] of rows.toSorted((a, b) => a[0] - b[0])) {
    const document = documentOf(seq);
    const list = getOrCreate(lists, `${feature} ${blockOf(document)} ${part}`, () => []);
    list.push(...postingOf(placeOf(document), quantizedFrequency(times, length)));
  }
  for (const [key, list] of lists) {
    const [feature, block, part] = key.split(' ').map(Number) as [number, number, number];
    add(feature, block, part, Uint8Array.from(list));
  }
}

/** The frequencies of words in one part of a feature are added up. */
function asPostings(blocks: ReadonlyMap<number, ReadonlyMap<number, Uint8Array[]>>): BlockPostings {
  return new Map(Array.from(blocks, ([block, parts]) => [block, Array.from(parts.values(), mergedPostings)]));
}

export function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}
