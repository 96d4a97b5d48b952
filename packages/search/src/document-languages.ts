import { grow } from './grow.ts';
import { LANGUAGES, LATIN_LANGUAGES, type Language, type LatinLanguage } from './language.ts';

/** A language that documents are in, and which share of all are. */
export interface HeldLanguage {
  readonly language: LatinLanguage;
  readonly share: number;
}

/** In which languages the documents of an index are. */
export class DocumentLanguages {
  /** Of each document the place of its language among `LANGUAGES`. */
  #places = new Uint8Array(16);
  readonly #counts = LANGUAGES.map(() => 0);
  /** Found anew when a document has come or gone. */
  #held: readonly HeldLanguage[] | undefined;

  add(document: number, language: Language): void {
    const place = LANGUAGES.indexOf(language);
    this.#places = grow(this.#places, document + 1);
    this.#places[document] = place;
    (this.#counts[place] as number)++;
    this.#held = undefined;
  }

  /** Takes a document out that was added. */
  remove(document: number): void {
    (this.#counts[this.#places[document] as number] as number)--;
    this.#held = undefined;
  }

  /** The language of a document, as a number for {@link DocumentLanguages.read}. */
  write(document: number): number {
    return this.#places[document] as number;
  }

  /** Adds a document with the number that `write` gave; false where there is no such language. */
  read(document: number, place: number): boolean {
    const language = LANGUAGES[place];
    if (language !== undefined) this.add(document, language);
    return language !== undefined;
  }

  /** Those that some document is in, the most frequent first. */
  get held(): readonly HeldLanguage[] {
    this.#held ??= this.#findHeld();
    return this.#held;
  }

  #findHeld(): HeldLanguage[] {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    return LATIN_LANGUAGES.map((language) => ({ language, share: this.#countOf(language) / total }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share);
  }

  #countOf(language: Language): number {
    return this.#counts[LANGUAGES.indexOf(language)] as number;
  }
}
