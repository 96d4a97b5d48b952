import type { ScoreExplanation } from '@keepsake/core';
import { MAX_QUERY_LENGTH } from './analyser.ts';
import { between } from './bm25.ts';
import type { FeatureTable } from './features.ts';
import { readKind } from './kinds.ts';
import type { FoundWord, LexicalIndex, LexicalSearchOptions, Matches } from './lexical-index.ts';
import type { Word } from './lexicon.ts';
import type { Meaning } from './meaning.ts';
import { type NamedTime, namedTimes, timeFactor } from './named-times.ts';
import { asksForPresent, asksTheAssistant, asksWhen } from './query-intent.ts';
import { WEIGHTS } from './ranking-weights.ts';
import { roleOf } from './roles.ts';
import { TopK } from './top-k.ts';
import { ASKS, INSTRUCTS, SPEAKS_OF_TIME } from './utterance.ts';

/** A document that was found. */
export interface RankedHit {
  readonly document: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

export interface Ranked {
  readonly hits: readonly RankedHit[];
  /** What was looked for and is there. */
  readonly words: readonly FoundWord[];
}

export interface ConversationSearchOptions extends LexicalSearchOptions {
  readonly limit: number;
  /** What "yesterday" is counted from. */
  readonly now: Date;
  readonly explain?: boolean;
  /** How near the documents are to the query by their vectors, where there are some. */
  readonly meaning?: Meaning | undefined;
}

/** What each signal gives to one document. */
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

/**
 * Ranks the documents of an index by their words, by their meaning where that is known, and by their places in the
 * conversations they are from. Documents that are no turns are ranked with them, as conversations of one turn. By words
 * alone, what is found has a word of the query, answers a question that has one, or was answered by an assistant with one.
 *
 * A filter says what may be found. Turns that don't pass still lend score to those beside them.
 */
export function searchConversations(
  index: LexicalIndex,
  features: FeatureTable,
  query: string,
  options: ConversationSearchOptions,
): Ranked {
  const read = query.slice(0, MAX_QUERY_LENGTH);
  const knowledge = { related: readKind, holders: ({ term }: Word) => features.speakers.documentsOf(term) };
  return index.matching(read, knowledge, (matches) => {
    return { hits: rankMatches(matches, features, read, options), words: matches.words };
  });
}

/** Ranks what the words of a query have found. */
export function rankMatches(
  matches: Matches,
  features: FeatureTable,
  query: string,
  options: ConversationSearchOptions,
): RankedHit[] {
  return new Ranking(matches, features, query, options).best(options);
}

class Ranking {
  readonly #matches: Matches;
  readonly #features: FeatureTable;
  readonly #meaning: Meaning | undefined;
  /** What a document of the query's own meaning gets for that. */
  readonly #meaningWorth: number;
  readonly #called: ReadonlySet<string>;
  /** The words that are in the names of speakers, as bits of `held`. */
  readonly #names: number;
  /** All words, as bits of `held`. */
  readonly #all: number;
  readonly #around: number;
  readonly #asksWhen: boolean;
  readonly #asksTheAssistant: boolean;
  readonly #times: readonly NamedTime[];
  readonly #asksForPresent: boolean;
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
    this.#around = between(WEIGHTS.around, matches.variety);
    this.#asksWhen = asksWhen(query);
    this.#asksTheAssistant = asksTheAssistant(query);
    this.#times = namedTimes(query, now);
    this.#asksForPresent = asksForPresent(query);
  }

  best({ limit, filter, minScore = 0, explain = false }: ConversationSearchOptions): RankedHit[] {
    const best = new TopK(limit);
    const candidates = this.#candidates(limit, filter);
    if (this.#asksForPresent) this.#readTimes(candidates);
    for (const document of candidates) {
      const score = this.#scoreOf(document);
      const born = this.#matches.born[document] as number;
      if (score < minScore || score === 0 || !best.accepts(score, born)) continue;
      if (filter === undefined || filter(document)) best.offer(document, score, born);
    }
    return best.ranked().map(({ id: document, score }) => {
      if (!explain) return { document, score };
      this.#scoreOf(document);
      return { document, score, explanation: this.#explained() };
    });
  }

  /** The best by words and times and the best by meaning, of all and of those that pass, and the turns beside them. */
  #candidates(limit: number, filter: LexicalSearchOptions['filter']): Set<number> {
    const candidates = new Set<number>();
    const size = Math.max(WEIGHTS.pool, WEIGHTS.poolPerHit * limit);
    for (const document of this.#bestByWords(size)) this.#addWithNeighbours(document, candidates);
    // So that as many are found as pass and are asked for, however few pass.
    if (filter !== undefined) {
      for (const document of this.#bestByWords(size, filter)) this.#addWithNeighbours(document, candidates);
    }
    for (const document of this.#meaning?.nearest(size, filter) ?? []) this.#addWithNeighbours(document, candidates);
    return candidates;
  }

  #bestByWords(size: number, filter?: LexicalSearchOptions['filter']): number[] {
    const { documents, scores, born } = this.#matches;
    const best = new TopK(size);
    let { floor } = best;
    for (const document of documents) {
      const score = (scores[document] as number) * this.#timeFactorOf(document);
      // Most are turned down here.
      if (score < floor) continue;
      const age = born[document] as number;
      if (!best.accepts(score, age) || filter?.(document) === false) continue;
      best.offer(document, score, age);
      floor = best.floor;
    }
    return best.kept.map(({ id }) => id);
  }

  /** Of the turns beside, those that would be found on their own, the answer to a question, and what a reply replies to. */
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
    signals.instructs = this.#instructs(document, speaker) ? WEIGHTS.instructs : 1;
    signals.asks = this.#features.has(document, ASKS) && role === undefined ? this.#asksFactor() : 1;
    signals.when = this.#asksWhen && this.#features.has(document, SPEAKS_OF_TIME) ? WEIGHTS.when : 1;
    signals.time = this.#timeFactorOf(document);
    signals.present = this.#presentFactorOf(document);
    return totalOf(signals);
  }

  /** What a document has of its own: by its words and by its meaning. */
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

  /** Each word counts where it was said nearest. */
  #saidAround(thread: readonly number[], place: number): number {
    const { held, words } = this.#matches;
    let sum = 0;
    let missing = this.#all;
    for (let step = 0; step < WEIGHTS.aroundSteps && missing !== 0; step++) {
      const before = place - step >= 0 ? (held[thread[place - step] as number] as number) : 0;
      const after = place + step < thread.length ? (held[thread[place + step] as number] as number) : 0;
      let found = (before | after) & missing;
      missing &= ~found;
      for (; found !== 0; found &= found - 1) {
        const { worth = 0 } = words[31 - Math.clz32(found & -found)] ?? {};
        sum += this.#around * worth * (1 - step / WEIGHTS.aroundSteps);
      }
      if (place - step < 0 && place + step >= thread.length) break;
    }
    return sum;
  }

  /** Whether the query calls the speaker; what nobody said, such as a note, is theirs whom it names. */
  #isByCalled(document: number, speaker: string | undefined): boolean {
    if (this.#called.size === 0) return false;
    if (speaker !== undefined) return this.#called.has(speaker);
    return ((this.#matches.held[document] as number) & this.#names) !== 0;
  }

  #roleFactorOf(role: 'user' | 'assistant' | undefined): number {
    if (role === 'user') return WEIGHTS.user;
    return role === 'assistant' && this.#asksTheAssistant ? WEIGHTS.assistant : 1;
  }

  /** People instruct an assistant, not one another. */
  #instructs(document: number, speaker: string | undefined): boolean {
    return (speaker === undefined || speaker === 'user') && this.#features.has(document, INSTRUCTS);
  }

  /** A user who asks tells something, too: only between people who talk alike is the answer what is looked for. */
  #asksFactor(): number {
    return between({ talk: WEIGHTS.asks, essays: 1 }, this.#matches.variety);
  }

  #timeFactorOf(document: number): number {
    return this.#times.length === 0 ? 1 : timeFactor(this.#times, this.#features.timeOf(document));
  }

  #presentFactorOf(document: number): number {
    if (!this.#asksForPresent || this.#newest === this.#oldest) return 1;
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

function highestOf({ documents, scores }: Matches): number {
  let highest = 0;
  for (const document of documents) highest = Math.max(highest, scores[document] as number);
  return highest;
}

function bitsOf(flags: readonly boolean[]): number {
  return flags.slice(0, 31).reduce((bits, flag, place) => bits + (flag ? 2 ** place : 0), 0);
}
