import { DETECTED_LANGUAGES, type DetectedLanguage, LANGUAGES, type Language } from '../languages/language.ts';
import { grow } from '../snapshot/grow.ts';

/** The languages of the documents of an index. */
export class DocumentLanguages {
  /** By document: the index of its language in `LANGUAGES`. */
  #places = new Uint8Array(16);
  readonly #counts = LANGUAGES.map(() => 0);
  /** Recomputed when a document was added or removed. */
  #held: readonly DetectedLanguage[] | undefined;

  add(document: number, language: Language): void {
    this.#add(document, LANGUAGES.indexOf(language));
  }

  /** Makes room for all documents below a number. */
  reserve(end: number): void {
    this.#places = grow(this.#places, end);
  }

  /** Removes a document. */
  remove(document: number): void {
    (this.#counts[this.#places[document] as number] as number)--;
    this.#held = undefined;
  }

  /** The language of a document, as a number for {@link DocumentLanguages.read}. */
  write(document: number): number {
    return this.#places[document] as number;
  }

  /** Adds a document with a number from `write`. Returns false for an unknown language. */
  read(document: number, place: number): boolean {
    if (LANGUAGES[place] === undefined) return false;
    this.#add(document, place);
    return true;
  }

  /** The languages of the documents, most frequent first. */
  get held(): readonly DetectedLanguage[] {
    this.#held ??= DETECTED_LANGUAGES.filter((language) => this.#countOf(language) > 0).sort(
      (a, b) => this.#countOf(b) - this.#countOf(a),
    );
    return this.#held;
  }

  /** How many documents are in each of {@link held}. */
  get counts(): ReadonlyMap<DetectedLanguage, number> {
    return new Map(this.held.map((language) => [language, this.#countOf(language)]));
  }

  #add(document: number, place: number): void {
    this.#places = grow(this.#places, document + 1);
    this.#places[document] = place;
    (this.#counts[place] as number)++;
    this.#held = undefined;
  }

  #countOf(language: Language): number {
    return this.#counts[LANGUAGES.indexOf(language)] as number;
  }
}
