import type { Language } from '@keepsake/search';
import {
  blockOf,
  placeOf,
  postingOf,
  quantizedFrequency,
  type RemoteTerms,
  remoteTerms,
  withoutPlaces,
} from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import type { Interruptible } from '../database/transaction.ts';
import { storableTerm } from './storable-term.ts';

type ByTerm<T> = Map<number, Map<string, T>>;

/** The changes of the index by one transaction. They are collected, because many records share terms. */
export class IndexChanges {
  readonly #language: Language | undefined;
  readonly #added: ByTerm<number[]> = new Map();
  readonly #removed: ByTerm<Set<number>> = new Map();
  readonly #counts = new Map<string, number>();
  #documents = 0;
  #length = 0;
  #squares = 0;
  #removedVectors = 0;

  constructor(language: Language | undefined) {
    this.#language = language;
  }

  /** Adds a document, and returns the flags of its text. */
  add(document: number, content: string, speaker: string | undefined): number {
    const found = remoteTerms(content, this.#language);
    const block = blockIn(this.#added, document);
    const [low, high, once] = postingOf(placeOf(document), quantizedFrequency(1, found.length));
    for (const [term, times] of found.terms) {
      const weight = times === 1 ? once : quantizedFrequency(times, found.length);
      const postings = block.get(term);
      if (postings === undefined) block.set(term, [low, high, weight]);
      else postings.push(low, high, weight);
    }
    this.#count(found, speaker, 1);
    return found.flags;
  }

  remove(document: number, content: string, speaker: string | undefined): void {
    const found = remoteTerms(content, this.#language);
    const block = blockIn(this.#removed, document);
    const place = placeOf(document);
    for (const term of found.terms.keys()) {
      const places = block.get(term);
      if (places === undefined) block.set(term, new Set([place]));
      else places.add(place);
    }
    this.#count(found, speaker, -1);
  }

  removeVector(): void {
    this.#removedVectors++;
  }

  /** Writes the changes. */
  *apply(connection: Connection, namespace: number): Interruptible<void> {
    for (const [block, terms] of this.#added) {
      for (const [term, postings] of terms) {
        connection.run(ADD_POSTINGS, namespace, block, storableTerm(term), new Uint8Array(postings));
        yield;
      }
    }
    for (const [block, terms] of this.#removed) {
      for (const [term, places] of terms) {
        dropPostings(connection, [namespace, block, storableTerm(term)], places);
        yield;
      }
    }
    for (const [name, change] of this.#counts) countDocuments(connection, namespace, name, change);
    connection.run(
      `UPDATE keepsake_namespaces SET document_count = document_count + ?, total_length = total_length + ?,
         total_squares = total_squares + ?, removed_vectors = removed_vectors + ? WHERE namespace = ?`,
      ...[this.#documents, this.#length, this.#squares, this.#removedVectors, namespace],
    );
  }

  #count({ length, language }: RemoteTerms, speaker: string | undefined, change: 1 | -1): void {
    this.#documents += change;
    this.#length += change * length;
    this.#squares += change * length ** 2;
    const names = speaker === undefined ? [`language ${language}`] : [`language ${language}`, `speaker ${speaker}`];
    for (const name of names) this.#counts.set(name, (this.#counts.get(name) ?? 0) + change);
  }
}

/** The values by term of the block of a document. */
function blockIn<T>(all: ByTerm<T>, document: number): Map<string, T> {
  const number = blockOf(document);
  let block = all.get(number);
  if (block === undefined) {
    block = new Map();
    all.set(number, block);
  }
  return block;
}

/** Two BLOBs concatenated are a TEXT. */
const ADD_POSTINGS = `INSERT INTO keepsake_postings (namespace, block, term, postings) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET postings = CAST(postings || excluded.postings AS BLOB)`;

type Key = readonly [namespace: number, block: number, term: string];

function dropPostings(connection: Connection, key: Key, places: ReadonlySet<number>): void {
  const where = 'WHERE namespace = ? AND block = ? AND term = ?';
  const sql = `SELECT postings FROM keepsake_postings ${where}`;
  const known = connection.first<{ postings: Uint8Array }>(sql, ...key);
  if (known === undefined) return;
  const kept = withoutPlaces(known.postings, places);
  // Nothing shows that the term was ever there.
  if (kept.length === 0) connection.run(`DELETE FROM keepsake_postings ${where}`, ...key);
  else connection.run(`UPDATE keepsake_postings SET postings = ? ${where}`, kept, ...key);
}

function countDocuments(connection: Connection, namespace: number, name: string, change: number): void {
  if (change === 0) return;
  const [kind] = name.split(' ', 1) as [string];
  const key = [namespace, kind, name.slice(kind.length + 1)] as const;
  connection.run(
    `INSERT INTO keepsake_counts (namespace, kind, name, documents) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`,
    ...[...key, change],
  );
  const sql = 'DELETE FROM keepsake_counts WHERE namespace = ? AND kind = ? AND name = ? AND documents <= 0';
  connection.run(sql, ...key);
}
