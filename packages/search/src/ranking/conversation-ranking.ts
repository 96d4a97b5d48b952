import type { ScoreExplanation } from '@keepsake/core';
import { between } from '../lexical/bm25.ts';
import type { LexicalIndex, LexicalSearchOptions } from '../lexical/lexical-index.ts';
import type { FoundWord, Matches, Matching } from '../lexical/matching.ts';
import { synonymsOf } from '../lexical/synonyms.ts';
import { TopK } from '../lexical/top-k.ts';
import { MAX_QUERY_LENGTH } from '../text/analyser.ts';
import { ASKS, INSTRUCTS, IS_OVER, SAYS_CHANGE, SPEAKS_OF_TIME } from '../text/utterance.ts';
import type { FeatureTable } from './feature-table.ts';
import type { Meaning } from './meaning.ts';
import { type NamedTime, namedTimes, timeFactor } from './named-times.ts';
import { asksForFact, asksForPresent, asksInPresentTense, asksTheAssistant, asksWhen } from './query-intent.ts';
import { WEIGHTS } from './ranking-weights.ts';
import { roleOf } from './roles.ts';

/** A search hit. */
export interface RankedHit {
  readonly document: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

export interface Ranked {
  readonly hits: readonly RankedHit[];
  /** The query's words that any document has. */
  readonly words: readonly FoundWord[];
}

export interface ConversationSearchOptions extends LexicalSearchOptions {
  readonly limit: number;
  /** The reference time for words such as "yesterday". */
  readonly now: Date;
  readonly explain?: boolean | undefined;
  /** The best documents by words are among these. @default All. */
  readonly best?: Iterable<number> | undefined;
  /** The best of those that pass the filter are among these. @default All. */
  readonly among?: readonly number[] | undefined;
  /** The nearness of documents to the query by their vectors, if there are vectors. */
  readonly meaning?: Meaning | undefined;
}

/** The signals of one document. */
interface Signals {
  words: number;
  meaning: number;
  neighbours: number;
  around: number;
  speaker: number;
  role: number;
  instructs: number;
  asks: number;
  when: number;
  time: number;
  present: number;
}

/** Looks up the words of a query, for {@link rankConversations}. The matching must be ended. */
export function matchConversations(index: LexicalIndex, features: FeatureTable, query: string): Matching {
  return index.matching(query.slice(0, MAX_QUERY_LENGTH), {
    related: synonymsOf,
    holders: ({ term }) => features.speakers.documentsOf(term),
  });
}

/**
 * Ranks the documents of an index by words, by meaning if there are vectors, and by their position in conversations. A
 * document without a turn counts as a conversation of one turn. Without vectors, finds documents that contain a word of the
 * query, answer a question with one, or were answered by an assistant with one.
 *
 * Only documents that pass the filter are found. Turns that don't pass still add to the scores of the turns beside them.
 */
export function rankConversations(
  matches: Matches,
  features: FeatureTable,
  query: string,
  options: ConversationSearchOptions,
): Ranked {
  return {
    hits: rankMatches(matches, features, query.slice(0, MAX_QUERY_LENGTH), options),
    words: matches.words,
  };
}

/** How many of the best documents by words are ranked, with the turns beside them. */
export function poolSize(limit: number): number {
  return Math.max(WEIGHTS.pool, WEIGHTS.poolPerHit * limit);
}

/** What the scores of documents are multiplied with to find the best by words; `undefined` if the query names no times. */
export function timeFactors(
  features: FeatureTable,
  query: string,
  now: Date,
): ((document: number) => number) | undefined {
  const times = namedTimes(query, now);
  return times.length === 0 ? undefined : (document) => timeFactor(times, features.timeOf(document));
}

/** Ranks the matches of a query. */
export function rankMatches(
  matches: Matches,
  features: FeatureTable,
  query: string,
  options: ConversationSearchOptions,
): RankedHit[] {
  return new Ranking(matches, features, query, options).best(options);
}

/** The documents that {@link rankMatches} may find. */
export function candidatesOf(
  matches: Matches,
  features: FeatureTable,
  query: string,
  options: ConversationSearchOptions,
): ReadonlySet<number> {
  return new Ranking(matches, features, query, options).candidates(options);
}

class Ranking {
  readonly #matches: Matches;
  readonly #features: FeatureTable;
  readonly #meaning: Meaning | undefined;
  /** The score for a document with the meaning of the query. */
  readonly #meaningWorth: number;
  readonly #called: ReadonlySet<string>;
  /** The words that are part of speakers' names, as bits of `held`. */
  readonly #names: number;
  /** All words, as bits of `held`. */
  readonly #all: number;
  readonly #around: number;
  readonly #asksWhen: boolean;
  readonly #asksTheAssistant: boolean;
  readonly #times: readonly NamedTime[];
  readonly #asksForPresent: boolean;
  readonly #asksInPresentTense: boolean;
  readonly #instructsFactor: number;
  /** The times of the oldest and of the newest candidate. */
  #oldest = Infinity;
  #newest = -Infinity;
  readonly #signals: Signals = {
    words: 0,
    meaning: 0,
    neighbours: 0,
    around: 0,
    speaker: 1,
    role: 1,
    instructs: 1,
    asks: 1,
    when: 1,
    time: 1,
    present: 1,
  };

  constructor(matches: Matches, features: FeatureTable, query: string, { meaning, now }: ConversationSearchOptions) {
    this.#matches = matches;
    this.#features = features;
    this.#meaning = meaning;
    this.#meaningWorth = meaning === undefined ? 0 : WEIGHTS.meaning * (highestOf(matches) || 1);
    const isName = matches.words.map(({ forms }) => forms.some(({ term }) => features.speakers.isName(term)));
    this.#called = features.speakers.called(query);
    this.#names = bitsOf(isName);
    this.#all = bitsOf(isName.map(() => true));
    this.#around = between(WEIGHTS.around, matches.essays);
    this.#asksWhen = asksWhen(query);
    this.#asksTheAssistant = asksTheAssistant(query);
    this.#times = namedTimes(query, now);
    this.#asksForPresent = asksForPresent(query);
    this.#asksInPresentTense = asksInPresentTense(query);
    this.#instructsFactor = asksForFact(query) ? WEIGHTS.instructsFact : WEIGHTS.instructs;
  }

  best(options: ConversationSearchOptions): RankedHit[] {
    const { limit, filter, minScore = 0, explain = false } = options;
    const best = new TopK(limit);
    const candidates = this.candidates(options);
    if (this.#asksForPresent) this.#readTimes(candidates);
    for (const document of candidates) {
      const score = this.#scoreOf(document);
      const created = this.#matches.created[document] as number;
      if (score < minScore || score === 0 || !best.accepts(score, created)) continue;
      if (filter === undefined || filter(document, score)) best.offer(document, score, created);
    }
    return best.ranked().map(({ id: document, score }) => {
      if (!explain) return { document, score };
      this.#scoreOf(document);
      return { document, score, explanation: this.#explained() };
    });
  }

  /**
   * The best by words and times and the best by meaning, among all documents and among those that pass, with the turns
   * beside them.
   */
  candidates({ limit, filter, best, among }: ConversationSearchOptions): Set<number> {
    const candidates = new Set<number>();
    const { documents, scores } = this.#matches;
    const size = poolSize(limit);
    for (const document of this.#bestByWords(size, best ?? documents)) this.#addWithNeighbours(document, candidates);
    // So that the limit is filled even if few documents pass.
    if (filter !== undefined) {
      const passing = among?.filter((document) => scores[document] !== 0) ?? documents;
      for (const document of this.#bestByWords(size, passing, filter)) this.#addWithNeighbours(document, candidates);
    }
    for (const document of this.#meaning?.nearest ?? []) this.#addWithNeighbours(document, candidates);
    return candidates;
  }

  #bestByWords(size: number, documents: Iterable<number>, filter?: LexicalSearchOptions['filter']): number[] {
    const { scores, created } = this.#matches;
    const best = new TopK(size);
    let { floor } = best;
    for (const document of documents) {
      const score = (scores[document] as number) * this.#timeFactorOf(document);
      // Rejects most of them.
      if (score < floor) continue;
      const age = created[document] as number;
      if (age < 0) continue;
      if (!best.accepts(score, age) || filter?.(document, score) === false) continue;
      best.offer(document, score, age);
      floor = best.floor;
    }
    return best.kept.map(({ id }) => id);
  }

  /**
   * Adds a document and, of the turns beside it, those with a score, the answer to a question, and the message that a reply
   * answers.
   */
  #addWithNeighbours(document: number, candidates: Set<number>): void {
    candidates.add(document);
    const thread = this.#features.threads.around(document);
    if (thread === undefined) return;
    const place = this.#features.threads.placeOf(document);
    const answer = this.#features.has(document, ASKS) ? place + 1 : -1;
    const asked = roleOf(this.#features.speakers.nameOf(document)) === 'assistant' ? place - 1 : -1;
    const end = Math.min(thread.length, place + WEIGHTS.steps + 1);
    for (let at = Math.max(0, place - WEIGHTS.steps); at < end; at++) {
      const neighbour = thread[at] as number;
      if (at === answer || at === asked || this.#ownScoreOf(neighbour) > 0) candidates.add(neighbour);
    }
  }

  #readTimes(candidates: ReadonlySet<number>): void {
    for (const document of candidates) {
      const time = this.#features.timeOf(document);
      this.#oldest = Math.min(this.#oldest, time);
      this.#newest = Math.max(this.#newest, time);
    }
  }

  #scoreOf(document: number): number {
    const signals = this.#signals;
    const { threads, speakers } = this.#features;
    const thread = threads.around(document) ?? [document];
    const place = thread.length === 1 ? 0 : threads.placeOf(document);
    const speaker = speakers.nameOf(document);
    const role = roleOf(speaker);
    signals.words = this.#matches.scores[document] as number;
    signals.meaning = this.#ownScoreOf(document) - signals.words;
    signals.neighbours = this.#lent(thread, place, role !== undefined);
    signals.around = this.#saidAround(thread, place);
    signals.speaker = this.#isByCalled(document, speaker) ? WEIGHTS.speaker : 1;
    signals.role = this.#roleFactorOf(role);
    signals.instructs = this.#instructs(document, speaker) ? this.#instructsFactor : 1;
    signals.asks = this.#features.has(document, ASKS) && role === undefined ? this.#asksFactor() : 1;
    signals.when = this.#asksWhen && this.#features.has(document, SPEAKS_OF_TIME) ? WEIGHTS.when : 1;
    signals.time = this.#timeFactorOf(document);
    signals.present = this.#presentFactorOf(document);
    return totalOf(signals);
  }

  /** The document's own score, by words and meaning. */
  #ownScoreOf(document: number): number {
    const words = this.#matches.scores[document] as number;
    return this.#meaning === undefined ? words : words + this.#meaningWorth * this.#meaning.nearness(document);
  }

  #lent(thread: readonly number[], place: number, hasRole: boolean): number {
    const fall = hasRole ? WEIGHTS.fallWithRoles : WEIGHTS.fall;
    let lent = 0;
    let share: number = hasRole ? WEIGHTS.beforeWithRoles : WEIGHTS.before;
    for (let at = place - 1; at >= 0 && at >= place - WEIGHTS.steps; at--) {
      const neighbour = thread[at] as number;
      const answers = !hasRole && at === place - 1 && this.#features.has(neighbour, ASKS);
      lent += share * (answers ? WEIGHTS.answer : 1) * this.#ownScoreOf(neighbour);
      share *= fall;
    }
    share = WEIGHTS.after;
    for (let at = place + 1; at < thread.length && at <= place + WEIGHTS.steps; at++) {
      lent += share * this.#ownScoreOf(thread[at] as number);
      share *= fall;
    }
    return lent;
  }

  /** Each word counts once, at its nearest occurrence. */
  #saidAround(thread: readonly number[], place: number): number {
    const { held, words } = this.#matches;
    let sum = 0;
    let missing = this.#all;
    for (let step = 0; step < WEIGHTS.aroundSteps && missing !== 0; step++) {
      const before = place - step >= 0 ? (held[thread[place - step] as number] as number) : 0;
      const after = place + step < thread.length ? (held[thread[place + step] as number] as number) : 0;
      let bits = (before | after) & missing;
      missing &= ~bits;
      for (; bits !== 0; bits &= bits - 1) {
        const { worth = 0 } = words[31 - Math.clz32(bits & -bits)] ?? {};
        sum += this.#around * worth * (1 - step / WEIGHTS.aroundSteps);
      }
      if (place - step < 0 && place + step >= thread.length) break;
    }
    return sum;
  }

  /** Whether the query names the speaker. A document without a speaker, such as a note, belongs to the people it names. */
  #isByCalled(document: number, speaker: string | undefined): boolean {
    if (this.#called.size === 0) return false;
    if (speaker !== undefined) return this.#called.has(speaker);
    return ((this.#matches.held[document] as number) & this.#names) !== 0;
  }

  #roleFactorOf(role: 'user' | 'assistant' | undefined): number {
    if (role === 'user') return WEIGHTS.user;
    return role === 'assistant' && this.#asksTheAssistant ? WEIGHTS.assistant : 1;
  }

  /** People give standing instructions to an assistant, not to each other. */
  #instructs(document: number, speaker: string | undefined): boolean {
    return (speaker === undefined || speaker === 'user') && this.#features.has(document, INSTRUCTS);
  }

  /**
   * A user's question to an assistant has information, too. Only between people is the answer more likely what is needed.
   */
  #asksFactor(): number {
    return between({ talk: WEIGHTS.asks, essays: 1 }, this.#matches.essays);
  }

  #timeFactorOf(document: number): number {
    return this.#times.length === 0 ? 1 : timeFactor(this.#times, this.#features.timeOf(document));
  }

  #presentFactorOf(document: number): number {
    if (!this.#asksForPresent && !this.#asksInPresentTense) return 1;
    const over = this.#features.has(document, IS_OVER) ? WEIGHTS.over : 1;
    if (!this.#asksForPresent) return over;
    const changed = this.#features.has(document, SAYS_CHANGE) ? WEIGHTS.changed : 1;
    return this.#recency(document) * over * changed;
  }

  #recency(document: number): number {
    if (this.#newest === this.#oldest) return 1;
    const age = (this.#newest - this.#features.timeOf(document)) / (this.#newest - this.#oldest);
    return WEIGHTS.present + (1 - WEIGHTS.present) * age;
  }

  #explained(): ScoreExplanation {
    const { words, meaning, neighbours, around, ...factors } = this.#signals;
    const sum = { words, neighbours, around };
    return { sum: this.#meaning === undefined ? sum : { ...sum, meaning }, factors };
  }
}

function totalOf(signals: Signals): number {
  const { words, meaning, neighbours, around, speaker, role, instructs, asks, when, time, present } = signals;
  return (words + meaning + neighbours + around) * speaker * role * instructs * asks * when * time * present;
}

function highestOf({ documents, scores, created }: Matches): number {
  let highest = 0;
  for (const document of documents) {
    const score = scores[document] as number;
    if (score > highest && (created[document] as number) >= 0) highest = score;
  }
  return highest;
}

function bitsOf(flags: readonly boolean[]): number {
  return flags.slice(0, 31).reduce((bits, flag, place) => bits + (flag ? 2 ** place : 0), 0);
}
