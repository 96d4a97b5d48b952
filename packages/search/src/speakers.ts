import { analyserOf } from './analyser.ts';
import { roleOf } from './roles.ts';

interface Speaker {
  readonly name: string;
  readonly terms: readonly string[];
  /** How many documents are theirs. */
  documents: number;
}

/** Who said what, and how queries call them. */
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

  /** Whether a term is in the name of a speaker. */
  isName(term: string): boolean {
    return this.#byTerm.has(term);
  }

  /** How many documents are by speakers that have a term in their names. */
  documentsOf(term: string): number {
    let documents = 0;
    for (const speaker of this.#byTerm.get(term) ?? []) documents += speaker.documents;
    return documents;
  }

  nameOf(document: number): string | undefined {
    return this.#speakerOf[document]?.name;
  }

  /** The names of those whom a query calls; none where it calls all that there are, and so tells nothing. */
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

/** What a speaker is called by in queries. Roles are no names: "user authentication" calls nobody. */
export function calledBy(speaker: string): readonly string[] {
  return roleOf(speaker) === undefined ? [...speakerTerms(speaker)] : [];
}

/**
 * A name and a query are read as English and as what they seem to be, since a name alone doesn't say of what language it
 * is, and what stands around it in a query does. A name that is a stop word, such as Will, calls nobody.
 */
function speakerTerms(text: string): ReadonlySet<string> {
  return new Set([...analyserOf('en').analyse(text).terms, ...analyserOf(undefined).analyse(text).terms]);
}
