import { grow } from './grow.ts';
import { LANGUAGES, LATIN_LANGUAGES, type Language, type LatinLanguage } from './language.ts';

/** In which languages the documents of an index are. */
export class DocumentLanguages {
  /** Of each document the place of its language among `LANGUAGES`. */
  #places = new Uint8Array(16);
  readonly #counts = LANGUAGES.map(() => 0);
  /** Found anew when a document has come or gone. */
  #held: readonly LatinLanguage[] | undefined;

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
  get held(): readonly LatinLanguage[] {
    this.#held ??= LATIN_LANGUAGES.filter((language) => this.#countOf(language) > 0).sort(
      (a, b) => this.#countOf(b) - this.#countOf(a),
    );
    return this.#held;
  }

  #countOf(language: Language): number {
    return this.#counts[LANGUAGES.indexOf(language)] as number;
  }
}
