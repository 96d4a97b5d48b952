import { analyserOf } from '../text/analyser.ts';
import { roleOf } from './roles.ts';

interface Speaker {
  readonly name: string;
  readonly terms: readonly string[];
  /** The number of their documents. */
  documents: number;
}

/** The speakers of documents, and how queries name them. */
export class Speakers {
  readonly #speakers = new Map<string, Speaker>();
  readonly #byTerm = new Map<string, Set<Speaker>>();
  readonly #speakerOf: (Speaker | undefined)[] = [];

  add(document: number, name: string): void {
    const speaker = this.#speakers.get(name) ?? this.#meet(name);
    speaker.documents++;
    this.#speakerOf[document] = speaker;
  }

  remove(document: number): void {
    const speaker = this.#speakerOf[document];
    if (speaker === undefined) return;
    this.#speakerOf[document] = undefined;
    if (--speaker.documents === 0) this.#forget(speaker);
  }

  /** Whether a term is part of a speaker's name. */
  isName(term: string): boolean {
    return this.#byTerm.has(term);
  }

  /** The number of documents by speakers with a term in their name. */
  documentsOf(term: string): number {
    let documents = 0;
    for (const speaker of this.#byTerm.get(term) ?? []) documents += speaker.documents;
    return documents;
  }

  nameOf(document: number): string | undefined {
    return this.#speakerOf[document]?.name;
  }

  /** The number of documents by each speaker. */
  get counts(): ReadonlyMap<string, number> {
    return new Map([...this.#speakers.values()].map(({ name, documents }) => [name, documents]));
  }

  /** The speakers that a query names; none if it names all of them, which says nothing. */
  called(query: string): ReadonlySet<string> {
    const called = new Set<string>();
    for (const term of speakerTerms(query)) for (const { name } of this.#byTerm.get(term) ?? []) called.add(name);
    return called.size === this.#speakers.size ? new Set() : called;
  }

  #meet(name: string): Speaker {
    const speaker: Speaker = { name, terms: calledBy(name), documents: 0 };
    this.#speakers.set(name, speaker);
    for (const term of speaker.terms) {
      const those = this.#byTerm.get(term);
      if (those === undefined) this.#byTerm.set(term, new Set([speaker]));
      else those.add(speaker);
    }
    return speaker;
  }

  #forget(speaker: Speaker): void {
    this.#speakers.delete(speaker.name);
    for (const term of speaker.terms) {
      const those = this.#byTerm.get(term);
      those?.delete(speaker);
      if (those?.size === 0) this.#byTerm.delete(term);
    }
  }
}

/** The terms that name a speaker in queries. Roles are not names: "user authentication" names nobody. */
export function calledBy(speaker: string): readonly string[] {
  return roleOf(speaker) === undefined ? [...speakerTerms(speaker)] : [];
}

/**
 * Names and queries are analysed in English and in their detected language, because a name alone has no clear language, but
 * a query around it does. A name that is a stop word, such as Will, names nobody.
 */
function speakerTerms(text: string): ReadonlySet<string> {
  return new Set([...analyserOf('en').analyse(text).terms, ...analyserOf(undefined).analyse(text).terms]);
}
