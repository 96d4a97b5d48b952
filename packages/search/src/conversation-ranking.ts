import type { ScoreExplanation } from '@keepsake/core';
import { MAX_QUERY_LENGTH } from './analyser.ts';
import { readKind } from './kinds.ts';
import type { LexicalIndex, LexicalSearchOptions, Matches } from './lexical-index.ts';
import type { Word } from './lexicon.ts';
import { type NamedTime, namedTimes, timeFactor } from './named-times.ts';
import { WEIGHTS } from './ranking-weights.ts';
import { TopK } from './top-k.ts';
import type { Turns } from './turns.ts';
import { asksWhen } from './utterance.ts';

/** A document that was found. */
export interface RankedHit {
  readonly document: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

export interface ConversationSearchOptions extends LexicalSearchOptions {
  readonly limit: number;
  /** What "yesterday" is counted from. */
  readonly now: Date;
  readonly explain?: boolean;
}

/** What each signal gives to one document. */
interface Signals {
  words: number;
  neighbours: number;
  around: number;
  speaker: number;
  asks: number;
  when: number;
  time: number;
}

/**
 * Ranks the documents of an index by their words and by their places in the conversations they are from. Documents
 * that are no turns are ranked with them, as conversations of one turn. What is found holds a word of the query, or
 * stands right after a question that does.
 *
 * A filter says what may be found. Turns that don't pass still lend score to those beside them.
 */
export function searchConversations(
  index: LexicalIndex,
  turns: Turns,
  query: string,
  options: ConversationSearchOptions,
): RankedHit[] {
  const read = query.slice(0, MAX_QUERY_LENGTH);
  const knowledge = { related: readKind, holders: ({ term }: Word) => turns.speakers.documentsOf(term) };
  return index.matching(read, knowledge, (matches) => rankMatches(matches, turns, read, options));
}

/** Ranks what the words of a query have found. */
export function rankMatches(
  matches: Matches,
  turns: Turns,
  query: string,
  options: ConversationSearchOptions,
): RankedHit[] {
  return new Ranking(matches, turns, query, options.now).best(options);
}

class Ranking {
  readonly #matches: Matches;
  readonly #turns: Turns;
  readonly #called: ReadonlySet<string>;
  /** The words that are in the names of speakers, as bits of `held`. */
  readonly #names: number;
  /** All words, as bits of `held`. */
  readonly #all: number;
  readonly #asksWhen: boolean;
  readonly #times: readonly NamedTime[];
  readonly #signals: Signals = {
    words: 0,
    neighbours: 0,
    around: 0,
    speaker: 1,
    asks: 1,
    when: 1,
    time: 1,
  };

  constructor(matches: Matches, turns: Turns, query: string, now: Date) {
    this.#matches = matches;
    this.#turns = turns;
    const isName = matches.words.map(({ forms }) => forms.some(({ term }) => turns.speakers.isName(term)));
    this.#called = turns.speakers.called(query);
    this.#names = bitsOf(isName);
    this.#all = bitsOf(isName.map(() => true));
    this.#asksWhen = asksWhen(query);
    this.#times = namedTimes(query, now);
  }

  best({ limit, filter, minScore = 0, explain = false }: ConversationSearchOptions): RankedHit[] {
    const best = new TopK(limit);
    for (const document of this.#candidates(limit, filter)) {
      const score = this.#scoreOf(document);
      const born = this.#matches.born[document] as number;
      if (score < minScore || !best.accepts(score, born)) continue;
      if (filter === undefined || filter(document)) best.offer(document, score, born);
    }
    return best.ranked().map(({ id: document, score }) => {
      if (!explain) return { document, score };
      this.#scoreOf(document);
      return { document, score, explanation: explained(this.#signals) };
    });
  }

  /** The best by their words and times, of all and of those that pass, and the turns beside both. */
  #candidates(limit: number, filter: LexicalSearchOptions['filter']): Set<number> {
    const candidates = new Set<number>();
    const size = Math.max(WEIGHTS.pool, WEIGHTS.poolPerHit * limit);
    for (const document of this.#bestByWords(size)) this.#addWithNeighbours(document, candidates);
    // So that as many are found as pass and are asked for, however few pass.
    if (filter !== undefined) {
      for (const document of this.#bestByWords(size, filter)) this.#addWithNeighbours(document, candidates);
    }
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

  /** Of the turns beside, those that hold a word of the query too, and the answer where the document asks. */
  #addWithNeighbours(document: number, candidates: Set<number>): void {
    candidates.add(document);
    const thread = this.#turns.threads.around(document);
    if (thread === undefined) return;
    const place = this.#turns.threads.placeOf(document);
    const answer = this.#turns.asks(document) ? place + 1 : -1;
    const end = Math.min(thread.length, place + WEIGHTS.steps + 1);
    for (let at = Math.max(0, place - WEIGHTS.steps); at < end; at++) {
      const neighbour = thread[at] as number;
      if (at === answer || (this.#matches.scores[neighbour] as number) > 0) candidates.add(neighbour);
    }
  }

  #scoreOf(document: number): number {
    const signals = this.#signals;
    const thread = this.#turns.threads.around(document) ?? [document];
    const place = thread.length === 1 ? 0 : this.#turns.threads.placeOf(document);
    signals.words = this.#matches.scores[document] as number;
    signals.neighbours = this.#lent(thread, place);
    signals.around = this.#saidAround(thread, place);
    signals.speaker = this.#isByCalled(document) ? WEIGHTS.speaker : 1;
    signals.asks = this.#turns.asks(document) ? WEIGHTS.asks : 1;
    signals.when = this.#asksWhen && this.#turns.speaksOfTime(document) ? WEIGHTS.when : 1;
    signals.time = this.#timeFactorOf(document);
    return totalOf(signals);
  }

  #timeFactorOf(document: number): number {
    if (this.#times.length === 0 || !this.#turns.has(document)) return 1;
    return timeFactor(this.#times, this.#turns.timeOf(document));
  }

  #lent(thread: readonly number[], place: number): number {
    const { scores } = this.#matches;
    let lent = 0;
    let share: number = WEIGHTS.before;
    for (let at = place - 1; at >= 0 && at >= place - WEIGHTS.steps; at--) {
      const neighbour = thread[at] as number;
      const answers = at === place - 1 && this.#turns.asks(neighbour);
      lent += share * (answers ? WEIGHTS.answer : 1) * (scores[neighbour] as number);
      share *= WEIGHTS.fall;
    }
    share = WEIGHTS.after;
    for (let at = place + 1; at < thread.length && at <= place + WEIGHTS.steps; at++) {
      lent += share * (scores[thread[at] as number] as number);
      share *= WEIGHTS.fall;
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
        sum += WEIGHTS.around * worth * (1 - step / WEIGHTS.aroundSteps);
      }
    }
    return sum;
  }

  /** Whether the query calls the speaker; what nobody said, such as a note, is theirs whom it names. */
  #isByCalled(document: number): boolean {
    if (this.#called.size === 0) return false;
    const speaker = this.#turns.speakers.nameOf(document);
    if (speaker !== undefined) return this.#called.has(speaker);
    return ((this.#matches.held[document] as number) & this.#names) !== 0;
  }
}

function totalOf({ words, neighbours, around, speaker, asks, when, time }: Signals): number {
  return (words + neighbours + around) * speaker * asks * when * time;
}

function explained({ words, neighbours, around, ...factors }: Signals): ScoreExplanation {
  return { sum: { words, neighbours, around }, factors };
}

function bitsOf(flags: readonly boolean[]): number {
  return flags.slice(0, 31).reduce((bits, flag, place) => bits + (flag ? 2 ** place : 0), 0);
}
