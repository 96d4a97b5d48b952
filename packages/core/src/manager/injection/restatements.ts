import type { MemoryEntry } from '../../store/memory-store.ts';
import { plainText } from './plain-text.ts';
import { sentencesOf } from './sentences.ts';
import { isAbout, isWithin, readStatement, type Statement } from './statement.ts';

/** A longer text is not compared. Stores show it as a shorter passage. */
const MAX_LENGTH = 500;

/** An entry, and what it says: as a whole and, when needed, by sentence. */
interface Said {
  readonly entry: MemoryEntry;
  readonly text: string;
  /** Who says it, and where: statements of others are about others. */
  readonly voice: string;
  readonly whole: Statement | undefined;
  sentences?: readonly Statement[];
}

/** Compares what entries say, by their words, for texts that say nothing twice. */
export class Restatements {
  readonly #said = new Map<MemoryEntry, Said>();

  /**
   * The entries, best first, without those that add nothing to one above. Of equal statements the newest stays, in the best
   * place, and one that says more takes the place of one that says less. Of utterances, only those with the same words are
   * left out, because the others depend on what was said before.
   *
   * @param limit - The number of entries that are enough, without known ones. The others need not be compared.
   * @param isKnown - Whether a model already has an entry. It stays, instead of equal ones.
   * @param maxLength - The length of their texts that is enough, in UTF-16 units, in place of their number.
   */
  leaveOut(
    entries: readonly MemoryEntry[],
    limit = Number.POSITIVE_INFINITY,
    isKnown: (entry: MemoryEntry) => boolean = () => false,
    maxLength = Number.POSITIVE_INFINITY,
  ): MemoryEntry[] {
    const kept: Said[] = [];
    const knownEntries = new Set(entries.filter(isKnown));
    let knownLeft = knownEntries.size;
    let length = 0;
    for (const entry of entries) {
      // Known ones can make others needless that come before them.
      if (knownLeft === 0 && (kept.length - knownEntries.size >= limit || length >= maxLength)) break;
      if (knownEntries.has(entry)) knownLeft--;
      const said = this.#saidIn(entry);
      const others = kept.filter(({ voice }) => voice === said.voice);
      const above = others.find((other) => this.#says(other, said));
      if (above !== undefined) {
        const isBetter = () => timeOf(entry) > timeOf(above.entry) || knownEntries.has(entry);
        if (this.#says(said, above) && !knownEntries.has(above.entry) && isBetter()) kept[kept.indexOf(above)] = said;
        continue;
      }
      const less = others.filter((other) => this.#says(said, other) && !knownEntries.has(other.entry));
      kept.splice(less[0] === undefined ? kept.length : kept.indexOf(less[0]), 0, said);
      if (!knownEntries.has(entry)) length += Math.min(said.text.length, MAX_LENGTH);
      for (const other of less) kept.splice(kept.indexOf(other), 1);
    }
    return kept.map(({ entry }) => entry);
  }

  /** Moves what contradicts an older entry about the same thing before it. Utterances stay where they are. */
  newestFirst<Shown extends { readonly entry: MemoryEntry }>(shown: readonly Shown[]): Shown[] {
    const sorted: Shown[] = [];
    for (const one of shown) {
      const older = sorted.findIndex(({ entry }) => this.#isNewVersion(this.#saidIn(one.entry), this.#saidIn(entry)));
      sorted.splice(older < 0 ? sorted.length : older, 0, one);
    }
    return sorted;
  }

  #saidIn(entry: MemoryEntry): Said {
    const knownSaid = this.#said.get(entry);
    if (knownSaid !== undefined) return knownSaid;
    const { content, excerpt, turn, source, namespace } = entry;
    const text = (excerpt?.text ?? content).trim();
    const isShort = text.length <= MAX_LENGTH;
    const isStatement = isShort && turn === undefined;
    const said = {
      entry,
      text: isShort && !isStatement ? plainText(text) : text,
      voice: JSON.stringify([isStatement, turn?.speaker ?? source?.speaker, namespace]),
      whole: isStatement ? readStatement(text) : undefined,
    };
    this.#said.set(entry, said);
    return said;
  }

  /** Whether one says all that the other says. */
  #says(one: Said, other: Said): boolean {
    if (one.whole === undefined || other.whole === undefined) return one.text === other.text;
    // Rules out nearly all pairs.
    for (const word of other.whole.heavyWords) if (!one.whole.words.has(word)) return false;
    if (isWithin(other.whole, one.whole)) return true;
    const parts = this.#sentencesOf(other);
    return parts.length > 0 && parts.every((part) => this.#sentencesOf(one).some((whole) => isWithin(part, whole)));
  }

  #sentencesOf(said: Said): readonly Statement[] {
    said.sentences ??= sentencesOf(said.text)
      .map(readStatement)
      .filter(({ weight }) => weight > 0);
    return said.sentences;
  }

  #isNewVersion(one: Said, other: Said): boolean {
    if (one.whole === undefined || other.whole === undefined || one.voice !== other.voice) return false;
    return timeOf(one.entry) > timeOf(other.entry) && isAbout(one.whole, other.whole);
  }
}

/** ISO 8601 in UTC, which sorts by time. An utterance is as old as when it was said. */
function timeOf({ turn, createdAt = '', updatedAt = createdAt }: MemoryEntry): string {
  return turn === undefined ? updatedAt : createdAt;
}
