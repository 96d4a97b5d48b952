import { withoutParticles } from '../languages/korean.ts';
import type { Language } from '../languages/language.ts';
import { stemmerOf } from '../languages/stemmer.ts';
import { stopWordsOf } from '../languages/stop-words.ts';
import { withoutClitics } from './clitics.ts';
import { detached } from './detached.ts';
import { fold } from './normalise.ts';
import { respell } from './spelling-variants.ts';
import { splitToken } from './split-token.ts';

/** Of longer words, only this many UTF-16 units count. */
export const MAX_WORD_LENGTH = 64;

/** The number of token parts that a lexicon caches. */
const MAX_REMEMBERED = 8192;

/** A word as analysed in one language. */
export interface Word {
  /** Folded; a stem unless it is a stop word. Empty if the word was only marks. */
  readonly term: string;
  readonly isStopWord: boolean;
  readonly language: Language;
}

/** The words of one language. */
export class Lexicon {
  readonly #language: Language;
  readonly #stopWords: ReadonlySet<string>;
  readonly #stemmer: { stem(word: string): string };
  readonly #parts = new Map<string, Word>();

  constructor(language: Language) {
    this.#language = language;
    this.#stopWords = stopWordsOf(language);
    this.#stemmer = stemmerOf(language);
  }

  /** The words of a token, usually one. */
  look(token: string): Word | readonly Word[] {
    const parts = splitToken(token, this.#language);
    const [only] = parts;
    return parts.length === 1 && only === token ? this.#look(cut(token)) : parts.map((part) => this.#recall(cut(part)));
  }

  /** A token can be a megabyte of parts, but then they are few or repeated. */
  #recall(part: string): Word {
    const knownWord = this.#parts.get(part);
    if (knownWord !== undefined) return knownWord;
    if (this.#parts.size >= MAX_REMEMBERED) this.#parts.clear();
    const word = this.#look(part);
    this.#parts.set(detached(part), word);
    return word;
  }

  #look(word: string): Word {
    const language = this.#language;
    // "it's" and "don't" are in the list, "we'll" matches by its base.
    const whole = fold(word.replaceAll("'", ''));
    if (this.#stopWords.has(whole)) return { term: detached(whole), isStopWord: true, language };
    const base = withoutClitics(word, language);
    const folded = fold(base);
    if (this.#stopWords.has(folded)) return { term: detached(folded), isStopWord: true, language };
    return { term: detached(this.#stem(base, folded)), isStopWord: false, language };
  }

  #stem(word: string, folded: string): string {
    if (this.#language === 'none' || /\p{Nd}/u.test(word)) return folded;
    // The English stemmer ignores diacritics; other languages need them.
    if (this.#language === 'en') return withoutEndings(this.#stemmer.stem(folded));
    return withoutEndings(fold(this.#stemmer.stem(respell(word, this.#language))));
  }
}

/** What languages add to words in letters that the stemmers leave alone. */
function withoutEndings(word: string): string {
  return withoutHindiEnding(withoutParticles(word));
}

function cut(word: string): string {
  return word.slice(0, MAX_WORD_LENGTH);
}

const lexicons = new Map<Language, Lexicon>();

/** The shared lexicon of a language, created at its first use. */
export function lexiconOf(language: Language): Lexicon {
  let lexicon = lexicons.get(language);
  if (lexicon === undefined) {
    lexicon = new Lexicon(language);
    lexicons.set(language, lexicon);
  }
  return lexicon;
}

const DEVANAGARI_WORD = /^[\u0900-\u097f]{3,}$/;
/** The endings of nouns, adjectives and participles in each number, gender and case. */
const ENDING = /(?<=..)(?:ियों|ियाँ|ियां|ाओं|ाएँ|ाएं|ुओं|ुएँ|ुएं|ओं|एँ|एं|ों|ें|ीं|ा|े|ी|ो|ि)$/;

/** A Hindi word without its ending: `लड़कियों`, `लड़की` and `लड़के` are `लड़क`. */
function withoutHindiEnding(word: string): string {
  return DEVANAGARI_WORD.test(word) ? word.replace(ENDING, '') : word;
}
