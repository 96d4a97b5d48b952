import type { Language } from '../languages/language.ts';
import { type Evidence, evidenceOf } from '../languages/language-evidence.ts';
import { detached } from './detached.ts';
import { lexiconOf, MAX_WORD_LENGTH, type Word } from './lexicon.ts';
import { normalise } from './normalise.ts';
import { tokenise } from './tokenise.ts';

/** The number of cached tokens. Stemming is slow compared to the rest, and words repeat. */
const MAX_REMEMBERED = 32_768;

// More parts make a phrase, and single letters are joined in any case.
const HYPHENATED = /^\p{L}{2,}-\p{L}{2,}$/u;

/** A token of a text with its cached analysis. */
export class Token {
  readonly text: string;
  /** For the languages that are detected by their words. */
  readonly evidence: Evidence | undefined;
  readonly isCyrillic: boolean;
  /** A hyphenated word as one: "wi-fi" as "wifi". */
  readonly joined: string | undefined;
  // Most tokens are only ever looked up in one language.
  #language: Language | undefined;
  #words: Word | readonly Word[] = [];
  #others: Map<Language, Word | readonly Word[]> | undefined;

  constructor(text: string) {
    this.text = text;
    this.isCyrillic = /^[\u0400-\u052f]/.test(text);
    this.evidence = evidenceOf(text);
    this.joined = text.includes('-') && HYPHENATED.test(text) ? text.replaceAll('-', '') : undefined;
  }

  /** Its words in a language, usually one. */
  in(language: Language): Word | readonly Word[] {
    if (language === this.#language) return this.#words;
    if (this.#language === undefined) {
      this.#language = language;
      this.#words = lexiconOf(language).look(this.text);
      return this.#words;
    }
    this.#others ??= new Map();
    let words = this.#others.get(language);
    if (words === undefined) {
      words = lexiconOf(language).look(this.text);
      this.#others.set(language, words);
    }
    return words;
  }
}

const remembered = new Map<string, Token>();

/** The tokens of a text, in order. */
export function tokensOf(text: string): Token[] {
  return tokenise(normalise(text)).map(recall);
}

function recall(text: string): Token {
  const knownToken = remembered.get(text);
  if (knownToken !== undefined) return knownToken;
  if (text.length > MAX_WORD_LENGTH) return new Token(text);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const own = detached(text);
  const token = new Token(own);
  remembered.set(own, token);
  return token;
}
