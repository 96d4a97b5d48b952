import type { Word } from './lexicon.ts';

/** A word of a query. */
export interface QueryWord {
  /** What it is in the languages of the query; a document that has several of them has the word so many times. */
  readonly forms: readonly Word[];
  /** How often the query has it. */
  readonly times: number;
}

/**
 * The words of a query that count: those that are no stop words in its own language, or all of them where it has
 * nothing else. `tokens` are the words of each token in each language of the query, its own first. No form is one of two
 * words, so that none counts twice.
 */
export function readQuery(tokens: readonly (readonly (readonly Word[])[])[]): QueryWord[] {
  const words = tokens.flatMap(perWord).filter(([own]) => own?.term !== '');
  const content = words.filter(([own]) => own?.isStopWord === false);
  return content.length > 0
    ? grouped(content.map((forms) => forms.filter(({ isStopWord }) => !isStopWord)))
    : grouped(words);
}

/** The words of a token, each as its forms in all languages: every language finds as many words in a token. */
function perWord(token: readonly (readonly Word[])[]): Word[][] {
  const [own = []] = token;
  return own.map((_, place) => token.map((words) => words[place] as Word));
}

function grouped(words: readonly (readonly Word[])[]): QueryWord[] {
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
