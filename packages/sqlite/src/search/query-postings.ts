import { type BlockPostings, mergedPostings, type RemoteWord } from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import { listOf } from '../records/record-rows.ts';
import { storableTerm } from './storable-term.ts';

/** Of each word of a query its own postings, then those of each of its groups of related terms. */
export function readPostings(
  connection: Connection,
  namespace: number,
  words: readonly RemoteWord[],
): BlockPostings[][] {
  const lists = readLists(connection, namespace, words);
  const ofTerms = (terms: readonly string[]) => listsOf(terms.map((term) => lists.get(storableTerm(term))));
  return words.map(({ terms, related }) => [asOne(ofTerms(terms)), ...related.map((group) => ofTerms(group.terms))]);
}

/** A posting list of a term in a block. */
interface ListRow {
  readonly term: string;
  readonly block: number;
  readonly postings: Uint8Array;
}

/** By term and block. */
type Lists = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;

/** Reads the lists of all terms with one statement, because a large namespace has hundreds of them. */
function readLists(connection: Connection, namespace: number, words: readonly RemoteWord[]): Lists {
  const terms = words.flatMap(({ terms, related }) => [terms, ...related.map((group) => group.terms)].flat());
  const all = new Map(terms.map((term) => [storableTerm(term), new Map<number, Uint8Array>()]));
  for (const { term, block, postings } of connection.all<ListRow>(LISTS, namespace, listOf([...all.keys()]))) {
    all.get(term)?.set(block, postings);
  }
  return all;
}

/** Finds the blocks by skipping from one to the next, since a block has thousands of rows. */
const LISTS = `WITH RECURSIVE blocks(namespace, block) AS (
    SELECT ?, -1
    UNION ALL
    SELECT namespace, (
      SELECT min(p.block) FROM keepsake_postings p WHERE p.namespace = blocks.namespace AND p.block > blocks.block
    )
    FROM blocks WHERE blocks.block IS NOT NULL
  )
  SELECT p.term, p.block, p.postings FROM blocks CROSS JOIN json_each(?) wanted
  CROSS JOIN keepsake_postings p ON p.namespace = blocks.namespace AND p.block = blocks.block AND p.term = wanted.value`;

/** The lists of several terms by block. */
function listsOf(terms: readonly (ReadonlyMap<number, Uint8Array> | undefined)[]): BlockPostings {
  const found = new Map<number, Uint8Array[]>();
  for (const blocks of terms) {
    for (const [block, postings] of blocks ?? []) {
      const lists = found.get(block);
      if (lists === undefined) found.set(block, [postings]);
      else lists.push(postings);
    }
  }
  return found;
}

/** The lists of the forms of a word as one list a block. */
function asOne(lists: BlockPostings): BlockPostings {
  return new Map([...lists].map(([block, all]) => [block, [mergedPostings(all)]]));
}
