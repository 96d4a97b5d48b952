import { withoutClitics } from './clitics.ts';
import { isLanguage, LANGUAGES, type Language } from './language.ts';
import { fold, normalise } from './normalise.ts';
import { splitToken } from './split-token.ts';
import { stemmerOf } from './stemmer.ts';
import { stopWordsOf } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/** Words longer than this many UTF-16 units are told apart by this beginning alone. */
const MAX_WORD_LENGTH = 64;

/** How many words an analyser remembers. Stemming is slow next to all the rest, and the same words come again. */
const MAX_REMEMBERED = 32_768;

/** What a text is about, and the words it is built with; each in order, with repeats. */
export interface Analysis {
  /** Stems, folded. */
  readonly terms: string[];
  /** Unstemmed, folded. */
  readonly stopWords: string[];
}

interface Word {
  /** Empty where the word was made of nothing but marks. */
  readonly term: string;
  readonly isStopWord: boolean;
}

/** Turns texts of one language into terms. */
export class Analyser {
  readonly #language: Language;
  readonly #stopWords: ReadonlySet<string>;
  readonly #stemmer: { stem(word: string): string };
  readonly #remembered = new Map<string, Word>();

  constructor(language: Language) {
    this.#language = language;
    this.#stopWords = stopWordsOf(language);
    this.#stemmer = stemmerOf(language);
  }

  analyse(text: string): Analysis {
    const analysis: Analysis = { terms: [], stopWords: [] };
    for (const token of tokenise(normalise(text))) {
      for (const part of splitToken(token, this.#language)) {
        const { term, isStopWord } = this.#recall(part.slice(0, MAX_WORD_LENGTH));
        if (isStopWord) analysis.stopWords.push(term);
        else if (term !== '') analysis.terms.push(term);
      }
    }
    return analysis;
  }

  #recall(word: string): Word {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    const found = this.#look(word);
    this.#remembered.set(detached(word), found);
    return found;
  }

  #look(word: string): Word {
    // "it's" and "don't" are in the list as they stand, "we'll" is by its base.
    const whole = fold(word.replaceAll("'", ''));
    if (this.#stopWords.has(whole)) return { term: whole, isStopWord: true };
    const base = withoutClitics(word, this.#language);
    const folded = fold(base);
    if (this.#stopWords.has(folded)) return { term: folded, isStopWord: true };
    return { term: detached(this.#stem(base, folded)), isStopWord: false };
  }

  #stem(word: string, folded: string): string {
    if (/\p{Nd}/u.test(word)) return folded;
    // English stems know no diacritics; those of other languages need them.
    return this.#language === 'en' ? this.#stemmer.stem(folded) : fold(this.#stemmer.stem(word));
  }
}

/** The same string, holding on to no longer one: engines keep a slice as a view of what it was cut from. */
function detached(text: string): string {
  return ` ${text}`.slice(1);
}

const analysers = new Map<Language, Analyser>();

/** The one analyser of a language, so that all indexes share the words it remembers. */
export function analyserOf(language: Language): Analyser {
  let analyser = analysers.get(language);
  if (analyser === undefined) {
    if (!isLanguage(language)) throw new RangeError(`language is to be one of ${LANGUAGES.join(', ')}.`);
    analyser = new Analyser(language);
    analysers.set(language, analyser);
  }
  return analyser;
}
