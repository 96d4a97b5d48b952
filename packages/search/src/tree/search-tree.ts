import type { MemoryEntry, Namespace } from '@keepsake/core';
import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { DETECTED_LANGUAGES, type DetectedLanguage, type Language } from '../languages/language.ts';
import { essayShare, idf, type LengthStats } from '../lexical/bm25.ts';
import { type HeldWord, insideWords, mayMatchInside, merged as mergedTerms } from '../lexical/inside-words.ts';
import type { SimilarTerm } from '../lexical/term-grams.ts';
import { calledBy } from '../ranking/speakers.ts';
import { analyseAhead } from '../text/analyse-ahead.ts';
import { POOL, rankTree, type TreeMatch } from './rank-tree.ts';
import type { Corpus, CosineStats, Pool, PoolHit, Worth } from './search-place.ts';
import type { TreePlace } from './tree-place.ts';
import { type TreeWord, treeWords } from './tree-words.ts';

export interface SearchTreeOptions {
  /** The language of the records and the query. */
  readonly language: Language | undefined;
  /** The reference time for words such as "yesterday". */
  readonly now: Date;
}

/** How many namespaces are asked at a time. */
const PARALLEL = 16;

/**
 * Searches several namespaces as if they were one: the weights of words follow from the documents of all. Only conversations
 * stay apart: turns of two namespaces are never neighbours. Results name their namespace.
 */
export async function searchTree(
  namespaces: readonly Namespace[],
  open: (namespace: Namespace) => TreePlace,
  search: RecordSearch,
  { language, now }: SearchTreeOptions,
): Promise<MemoryEntry[]> {
  const { query, limit, minScore, explain, signal } = search;
  const all = namespaces.map((namespace) => ({ namespace, place: open(namespace) }));
  // The first search of a process takes long in each part.
  const pauses = new Pauses();
  const corpora = await ofEach(all, ({ place }) => place.corpus(), pauses, signal);
  const total = addedUp(corpora);
  // An empty namespace has nothing to add.
  const places = all.filter((_, n) => (corpora[n] as Corpus).lengths.documents > 0);
  const languages = languagesOf(total);
  await analyseAhead(query, language, languages, pauses);
  const whole = treeWords(query, languages, language);
  await pauses.afterStep();
  const countsOf = (words: readonly TreeWord[]) =>
    words.length === 0 ? [] : ofEach(places, ({ place }) => place.counts(words), pauses, signal);
  const wholeCounts = await countsOf(whole);
  const partly = matchedInside(whole, wholeCounts, total);
  const similar =
    partly.length === 0 ? [] : await ofEach(places, ({ place }) => place.similarTerms(partly), pauses, signal);
  const inside = wordsInside(partly, similar);
  const insideCounts = await countsOf(inside);
  const words = [...whole, ...inside];
  const counts = wholeCounts.map((own, n) => [...own, ...(insideCounts[n] ?? [])]);
  const worths = worthsOf(words, counts, total);
  const size = Math.max(POOL.size, POOL.sizePerHit * limit);
  const isLikely = (n: number) => total.cosines !== undefined || (counts[n] ?? []).flat().some((count) => count > 0);
  const likely = places.filter((_, n) => isLikely(n));
  const pools = await ofEach(likely, ({ place }) => place.pool({ words, worths, size }), pauses, signal);
  const { matches, origins } = joined(pools);
  const treeMatches = {
    words: worths,
    matches,
    speakers: [...total.speakers.keys()],
    essays: essayShare(total.lengths),
    cosines: total.cosines,
  };
  const hits = rankTree(query, treeMatches, { limit, minScore, explain, now });
  await pauses.afterStep();
  return readEntries(
    hits.map(({ match, ...hit }) => ({ ...hit, ...(origins[match] as Origin) })),
    pools.map((pool, n) => ({ pool, namespace: likely[n]?.namespace as Namespace })),
    worths,
  );
}

type HeldTreeWord = TreeWord & HeldWord;

/** The words that match inside others, with the number of documents that have them. */
function matchedInside(
  words: readonly TreeWord[],
  counts: readonly (readonly (readonly number[])[])[],
  total: Corpus,
): HeldTreeWord[] {
  const named = documentsByName(total);
  const all = words.map((word, n) => {
    const held = sum(counts, (own) => own[n]?.[0] ?? 0);
    return { ...word, held: Math.max(held, ...word.forms.map(({ term }) => named.get(term) ?? 0)) };
  });
  return all.filter((word) => mayMatchInside(word));
}

/** @param similar the similar terms of each word in each namespace */
function wordsInside(
  words: readonly HeldTreeWord[],
  similar: readonly (readonly (readonly SimilarTerm[])[])[],
): TreeWord[] {
  return words.flatMap((word, n) => {
    const terms = mergedTerms(similar.flatMap((own) => own[n] ?? []));
    return insideWords(word, terms).map((one) => ({ ...one, related: [], isRelatable: false }));
  });
}

/** Calls `ask` for each, a few at a time. */
async function ofEach<T, R>(
  all: readonly T[],
  ask: (one: T) => Promise<R>,
  pauses: Pauses,
  signal: AbortSignal | undefined,
): Promise<R[]> {
  const replies: R[] = [];
  for (let from = 0; from < all.length; from += PARALLEL) {
    replies.push(...(await Promise.all(all.slice(from, from + PARALLEL).map(ask))));
    await pauses.afterStep();
    throwIfAborted(signal);
  }
  return replies;
}

function addedUp(corpora: readonly Corpus[]): Corpus {
  const lengths: LengthStats = {
    documents: sum(corpora, ({ lengths }) => lengths.documents),
    essays: sum(corpora, ({ lengths }) => lengths.essays),
  };
  return {
    lengths,
    languages: merged(corpora.map(({ languages }) => languages)),
    speakers: merged(corpora.map(({ speakers }) => speakers)),
    cosines: mergedCosines(corpora.flatMap(({ cosines }) => cosines ?? [])),
  };
}

function merged<Key>(all: readonly ReadonlyMap<Key, number>[]): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const counts of all) for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

function mergedCosines(all: readonly CosineStats[]): CosineStats | undefined {
  if (all.length === 0) return undefined;
  const count = sum(all, (one) => one.count);
  if (count === 0) return { count, mean: 0, deviation: 0 };
  const mean = sum(all, (one) => one.count * one.mean) / count;
  const variance = sum(all, (one) => one.count * (one.deviation ** 2 + (one.mean - mean) ** 2)) / count;
  return { count, mean, deviation: Math.sqrt(variance) };
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/** The words and groups that any document has, highest worth first. */
function worthsOf(
  words: readonly TreeWord[],
  counts: readonly (readonly (readonly number[])[])[],
  total: Corpus,
): Worth[] {
  const { documents } = total.lengths;
  const named = documentsByName(total);
  const worths = words.flatMap(({ forms, weight, related, atLeast }, word) =>
    [1, ...related.map((group) => group.weight)].flatMap((share, group) => {
      const count = sum(counts, (ofPlace) => ofPlace[word]?.[group] ?? 0);
      if (count === 0) return [];
      // A speaker's name counts for everything they said.
      const assumed = group > 0 ? 0 : (atLeast ?? Math.max(...forms.map(({ term }) => named.get(term) ?? 0)));
      const matching = Math.min(Math.max(count, assumed), documents);
      return [{ forms, word, group, worth: weight * share * idf(documents, matching) }];
    }),
  );
  return worths.sort((a, b) => b.worth - a.worth || a.word - b.word || a.group - b.group);
}

/** Where a match comes from. */
interface Origin {
  readonly pool: number;
  readonly match: number;
}

/** The matches of all pools, each conversation under a name of its own. */
function joined(pools: readonly Pool[]): { readonly matches: readonly TreeMatch[]; readonly origins: Origin[] } {
  const origins = pools.flatMap(({ matches }, pool) => matches.map((_, match) => ({ pool, match })));
  const [only] = pools;
  if (only !== undefined && pools.length === 1) return { matches: only.matches, origins };
  const all = origins.map(({ pool, match }) => {
    const treeMatch = pools[pool]?.matches[match] as TreeMatch;
    return treeMatch.turn === undefined
      ? treeMatch
      : { ...treeMatch, turn: { ...treeMatch.turn, thread: `${pool} ${treeMatch.turn.thread}` } };
  });
  // Creation numbers compare only within a namespace.
  const ages = Array.from(all.keys()).sort((a, b) => compareAges(all[a] as TreeMatch, all[b] as TreeMatch));
  const created = new Map(ages.map((match, age) => [match, age]));
  return { origins, matches: all.map((match, n) => ({ ...match, created: created.get(n) as number })) };
}

/** Oldest first. */
function compareAges(a: TreeMatch, b: TreeMatch): number {
  return a.time - b.time || a.created - b.created;
}

/** Reads the entries of all hits, in the order of the hits. */
async function readEntries(
  hits: readonly (PoolHit & Origin)[],
  places: readonly { readonly pool: Pool; readonly namespace: Namespace }[],
  worths: readonly Worth[],
): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  const read = places.map(async ({ pool, namespace }, n) => {
    const places = Array.from(hits.keys()).filter((place) => hits[place]?.pool === n);
    if (places.length === 0) return;
    const own = places.map((place) => hits[place] as PoolHit);
    for (const [index, entry] of (await pool.entries(own, worths)).entries()) {
      if (entry !== undefined) entries[places[index] as number] = { ...entry, namespace };
    }
  });
  await Promise.all(read);
  // Skips the holes of missing entries.
  return entries.filter(() => true);
}

/** The languages of the documents, most frequent first. */
function languagesOf({ languages }: Pick<Corpus, 'languages'>): DetectedLanguage[] {
  const count = (language: DetectedLanguage) => languages.get(language) ?? 0;
  return DETECTED_LANGUAGES.filter((language) => count(language) > 0).sort((a, b) => count(b) - count(a));
}

/** How many documents are by speakers with a term in their name. */
function documentsByName({ speakers }: Pick<Corpus, 'speakers'>): ReadonlyMap<string, number> {
  const named = new Map<string, number>();
  for (const [speaker, documents] of speakers) {
    for (const term of calledBy(speaker)) named.set(term, (named.get(term) ?? 0) + documents);
  }
  return named;
}
