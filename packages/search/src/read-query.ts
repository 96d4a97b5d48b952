import { isFraming } from './framing-words.ts';
import type { Word } from './lexicon.ts';
import { WEIGHTS } from './ranking-weights.ts';

/** How many distinct words of a query are looked for. A question has fewer; a pasted document must not stop a process. */
const MAX_QUERY_WORDS = 64;
/** Related words are looked for where a query has at most this many. */
const MAX_RELATED_WORDS = 16;

/** A word of a query. */
export interface QueryWord {
  /** What it is in the languages of the query; a document that has several of them has the word so many times. */
  readonly forms: readonly Word[];
  /** How often the query has it, less for words that frame a request. */
  readonly weight: number;
  /** Whether words that are related to it are looked for, too. */
  readonly isRelatable: boolean;
}

/**
 * The words of a query that count, in their order: those that are no stop words in its own language, or all of them where
 * it has nothing else; at most {@link MAX_QUERY_WORDS}, of the most frequent the longest. `tokens` are the words of each
 * token in each language of the query, its own first. No form is one of two words, so that none counts twice.
 */
export function readQuery(tokens: readonly (readonly (readonly Word[])[])[]): QueryWord[] {
  const words = tokens.flatMap(perWord).filter(([own]) => own?.term !== '');
  const content = words.filter(([own]) => own?.isStopWord === false);
  return content.length > 0
    ? weighed(grouped(content.map((forms) => forms.filter(({ isStopWord }) => !isStopWord))))
    : weighed(grouped(words));
}

/** The words of a token, each as its forms in all languages: every language finds as many words in a token. */
function perWord(token: readonly (readonly Word[])[]): Word[][] {
  const [own = []] = token;
  return own.map((_, place) => token.map((words) => words[place] as Word));
}

interface Group {
  readonly forms: readonly Word[];
  readonly times: number;
}

function weighed(groups: readonly Group[]): QueryWord[] {
  const best = groups.length <= MAX_QUERY_WORDS ? groups : mostTelling(groups);
  const frames = best.map(({ forms: [own] }) => own?.language === 'en' && isFraming(own.term));
  // A query of nothing but framing words is about them.
  const hasSubject = frames.includes(false);
  return best.map(({ forms, times }, place) => ({
    forms,
    weight: times * (hasSubject && frames[place] === true ? WEIGHTS.framing : 1),
    isRelatable: best.length <= MAX_RELATED_WORDS,
  }));
}

/** By what the query alone says, so that every backend looks for the same words: longer words are rarer. */
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
