import { type DetectedLanguage, isLanguage, LANGUAGES, type Language } from '../languages/language.ts';
import { type QueryWord, readQuery } from '../lexical/read-query.ts';
import { asksSomebody } from '../ranking/query-intent.ts';
import { withWordsOfNames } from './code-names.ts';
import { detectLanguage, detectLanguages } from './detect-language.ts';
import type { Word } from './lexicon.ts';
import { phrasalNouns } from './phrasal-nouns.ts';
import { type Token, tokensOf } from './token.ts';

/** The maximum query length in UTF-16 units: about 2,500 words. */
export const MAX_QUERY_LENGTH = 16_384;

/** The content words and the stop words of a text, each in order, with repeats. */
export interface Analysis {
  /** Stems, folded. */
  readonly terms: readonly string[];
  /** Unstemmed, folded. */
  readonly stopWords: readonly string[];
  /** The language assumed for words in Latin letters. */
  readonly language: Language;
}

/** Turns texts into terms, for one language or with language detection. */
export class Analyser {
  readonly #language: Language | undefined;
  readonly #prepared = new Map<string, Analysis>();

  constructor(language: Language | undefined) {
    this.#language = language;
  }

  /** Analyses a text in advance. `analyse` then returns this result until `forget` is called for the text. */
  prepare(text: string): void {
    if (!this.#prepared.has(text)) this.#prepared.set(text, this.analyse(text));
  }

  forget(text: string): void {
    this.#prepared.delete(text);
  }

  analyse(text: string): Analysis {
    return (this.#prepared.size > 0 ? this.#prepared.get(text) : undefined) ?? this.#analyse(text);
  }

  #analyse(text: string): Analysis {
    // Not in queries: a question about a name would rather find its words.
    const tokens = withJoined(tokensOf(withWordsOfNames(text)));
    const language = this.#language ?? detectLanguage(tokens);
    const analysis = { terms: [], stopWords: [], language };
    for (const token of tokens) {
      const words = this.#wordsOf(token, language);
      if (!isList(words)) take(words, analysis);
      else for (const word of words) take(word, analysis);
    }
    return analysis;
  }

  /** The words of a query to documents in these languages, the most frequent first. */
  analyseQuery(text: string, held: readonly DetectedLanguage[]): QueryWord[] {
    const query = text.slice(0, MAX_QUERY_LENGTH);
    const tokens = tokensOf(query);
    const set = this.#language;
    const languages = set === undefined ? detectLanguages(tokens, held) : [set];
    const wordsIn = (all: readonly Token[]) =>
      all.map((token) => languages.map((language) => listOf(this.#wordsOf(token, language))));
    const nouns = languages[0] === 'en' ? phrasalNouns(tokens) : [];
    const joined = tokensOf([...tokens.flatMap(({ joined }) => joined ?? []), ...nouns].join(' '));
    return readQuery(wordsIn(tokens), wordsIn(joined), asksSomebody(query));
  }

  /** With detection, words in Cyrillic letters count as Russian. */
  #wordsOf(token: Token, language: Language): Word | readonly Word[] {
    return token.in(this.#language === undefined && token.isCyrillic ? 'ru' : language);
  }
}

/** With each hyphenated word also as one. */
function withJoined(tokens: readonly Token[]): readonly Token[] {
  return tokens.some(({ joined }) => joined !== undefined)
    ? tokens.flatMap((token) => (token.joined === undefined ? [token] : [token, ...tokensOf(token.joined)]))
    : tokens;
}

function listOf(words: Word | readonly Word[]): readonly Word[] {
  return isList(words) ? words : [words];
}

function isList(words: Word | readonly Word[]): words is readonly Word[] {
  return Array.isArray(words);
}

function take({ term, isStopWord }: Word, { terms, stopWords }: Record<'terms' | 'stopWords', string[]>): void {
  if (isStopWord) stopWords.push(term);
  else if (term !== '') terms.push(term);
}

const analysers = new Map<Language | undefined, Analyser>();

/** The shared analyser of a language, or of all languages. */
export function analyserOf(language: Language | undefined): Analyser {
  let analyser = analysers.get(language);
  if (analyser === undefined) {
    if (language !== undefined && !isLanguage(language)) {
      throw new RangeError(`language must be one of ${LANGUAGES.join(', ')}, or undefined.`);
    }
    analyser = new Analyser(language);
    analysers.set(language, analyser);
  }
  return analyser;
}
