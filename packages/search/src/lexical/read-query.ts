import { WEIGHTS } from '../ranking/ranking-weights.ts';
import type { Word } from '../text/lexicon.ts';
import { StemmedWords } from '../text/stemmed-words.ts';

/** The maximum number of distinct query words. A question has fewer; a pasted document must not block the process. */
const MAX_QUERY_WORDS = 64;
/** Related and similar words are used for queries with at most this many words. */
const MAX_RELATED_WORDS = 16;

/** A word of a query. */
export interface QueryWord {
  /** Its forms in the languages of the query. The frequencies of several forms in a document are added. */
  readonly forms: readonly Word[];
  /** 1 for a word that the query has once; reduced for words that frame a request. */
  readonly weight: number;
  /** Whether to search for related and similar words, too. */
  readonly isRelatable: boolean;
}

/** The words of a token in each language of the query, its own first. */
type Tokens = readonly (readonly Word[])[];

/**
 * The relevant words of a query, in order: all but stop words of its language, or all if it has nothing else; at most {@link
 * MAX_QUERY_WORDS}, the most frequent and then the longest. `tokens` are the words of each token in each language of the
 * query, its own first. `others` are what it may mean besides, and count less. No form belongs to two words, so none counts twice.
 */
export function readQuery(tokens: readonly Tokens[], others: readonly Tokens[] = [], isAsking = true): QueryWord[] {
  const own = ownWords(tokens, isAsking);
  const ownKeys = new Set(own.flatMap(({ forms }) => forms.map(keyOf)));
  const more = grouped(others.flatMap(perWord).filter(([first]) => first?.isStopWord === false && first.term !== ''));
  const added = more.flatMap(({ forms }) => {
    const unknown = forms.filter((form) => !form.isStopWord && !ownKeys.has(keyOf(form)));
    return unknown.length === 0 ? [] : [{ forms: unknown, weight: WEIGHTS.joined, isRelatable: false }];
  });
  return [...own, ...added].slice(0, MAX_QUERY_WORDS);
}

function ownWords(tokens: readonly Tokens[], isAsking: boolean): QueryWord[] {
  const words = tokens.flatMap(perWord).filter(([own]) => own?.term !== '');
  const content = words.filter(([own]) => own?.isStopWord === false);
  return content.length > 0
    ? weighed(grouped(content.map((forms) => forms.filter(({ isStopWord }) => !isStopWord))), isAsking)
    : weighed(grouped(words), isAsking);
}

/** The words of a token with their forms in all languages. Every language finds the same number of words in a token. */
function perWord(token: readonly (readonly Word[])[]): Word[][] {
  const [own = []] = token;
  if (/^[\u05d0-\u05ea\u0621-\u064a]/.test(own[0]?.term ?? '')) return [[...own]];
  return own.map((_, place) => token.map((words) => words[place] as Word));
}

interface Group {
  readonly forms: readonly Word[];
  readonly times: number;
}

function weighed(groups: readonly Group[], isAsking: boolean): QueryWord[] {
  const best = groups.length <= MAX_QUERY_WORDS ? groups : mostTelling(groups);
  const frames = new Set(best.filter(({ forms: [own] }) => isAsking && own?.language === 'en' && isFraming(own.term)));
  // A query with only framing words is about them.
  if (frames.size === best.length) frames.clear();
  return best.map((group) => ({
    forms: group.forms,
    weight: repeated(group.times) * (frames.has(group) ? WEIGHTS.framing : 1),
    isRelatable: best.length <= MAX_RELATED_WORDS && !frames.has(group),
  }));
}

/** A word that a long message repeats is closer to its subject, but each repetition says less than the one before. */
function repeated(times: number): number {
  return 1 + Math.log(times);
}

/** Depends only on the query, so that every backend picks the same words. Longer words are rarer. */
function mostTelling(groups: readonly Group[]): Group[] {
  const length = ({ forms }: Group) => forms[0]?.term.length ?? 0;
  const taken = new Set(
    groups.toSorted((a, b) => b.times - a.times || length(b) - length(a)).slice(0, MAX_QUERY_WORDS),
  );
  return groups.filter((group) => taken.has(group));
}

function grouped(words: readonly (readonly Word[])[]): Group[] {
  const groups = new Map<string, { forms: Word[]; times: number }>();
  for (const [own] of words) {
    const group = groups.get(keyOf(own as Word));
    if (group === undefined) groups.set(keyOf(own as Word), { forms: [own as Word], times: 1 });
    else group.times++;
  }
  const taken = new Set(groups.keys());
  for (const [own, ...others] of words) {
    for (const form of others) {
      if (form.term === '' || taken.has(keyOf(form))) continue;
      taken.add(keyOf(form));
      groups.get(keyOf(own as Word))?.forms.push(form);
    }
  }
  return [...groups.values()];
}

function keyOf({ term, isStopWord }: Word): string {
  return isStopWord ? ` ${term}` : term;
}

/**
 * English words that frame a request and say little of its subject: "Can you list, in order, the different aspects of …
 * that I mentioned throughout our conversations?" Words for the present are among them: entries seldom have them.
 */
const WORDS =
  'summary summarize summarise overview recap comprehensive complete clear detail list order item aspect step mention ' +
  'bring discuss talk conversation chat session throughout ask answer question say tell give show ' +
  'provide explain describe recommend suggest advise remember remind recall include consider different various ' +
  'current latest newest recent nowadays next upcoming';

let words: StemmedWords<true> | undefined;

/** Whether an English stem is that of a framing word. */
function isFraming(stem: string): boolean {
  words ??= new StemmedWords(WORDS.split(' ').map((word) => [word, true]));
  return words.get(stem).length > 0;
}
