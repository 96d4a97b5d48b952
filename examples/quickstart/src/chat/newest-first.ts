import type { MemoryEntry } from '@keepsake/core';
import { contentWords } from './matches.ts';

/** A memory, and whether a newer one before it says something else about the same thing. */
export interface Recollection extends MemoryEntry {
  readonly isEarlier?: boolean;
}

const SUBJECT = "(i|we|my \\S+|[A-Z]\\p{L}+)(?:['’](?:m|ve|s|re))?";
const FILLER = '(?: (?:am|is|are|have|has|now|just|finally|recently|currently|already|used to))*';

/** Statements that replace an earlier one about the same person. */
const STATES: readonly (readonly [state: string, pattern: RegExp])[] = [
  ['home', '(?:live|lives|living|moved|moving|relocated|settled) (?:in|to|at|near|back)\\b'],
  ['work', '(?:work|works|working|started|start|got a job|took a job) (?:at|for|with)\\b'],
  ['age', '(?:turned )?\\d{1,3}(?: years old)?(?=[.,!]|$)'],
  ['name', '(?:called|named)\\b'],
].map(([state = '', verb]) => [state, new RegExp(`\\b${SUBJECT}${FILLER} ${verb}`, 'iu')] as const);

/** My phone number is, my favourite colour was. */
const PROPERTY = /\bmy ((?:\S+ ){0,3}\S+) (?:is|are|was|has changed to|changed to|was moved to|has moved to)\b/iu;
const QUALIFIERS = /\b(?:new|current|old|latest|actual) /giu;

/** The end of what an earlier statement says: sold the Volvo, quit my job. */
const ENDS =
  /\b(?:sold|quit|left|lost|cancel+ed|stopped|replaced|returned|gave (?:away|up|back)|got rid of|traded|swapped|no longer|not any ?more)\b/iu;

/** Says that something is not so. */
const NEGATES = /\b(?:not|never|no longer)\b|n['’]t\b/iu;
const BEGINS_WITH_SUBJECT = new RegExp(`^${SUBJECT} `, 'iu');

/** How a statement begins that corrects an earlier one. */
const CORRECTS = /^(?:(?:oh|well|wait|oops),? )?(?:actually|no|correction|sorry|i meant?|rather|instead|make that)\b/iu;

/** The least score of a newer statement that shares most words, as a share of the best: otherwise it is about another. */
const AS_GOOD = 0.9;

/**
 * Puts the newest of several statements about the same thing first: "I live in Lisbon" after "I moved to Porto". The order is
 * otherwise the same.
 */
export function newestFirst(entries: readonly MemoryEntry[]): Recollection[] {
  const groups: MemoryEntry[][] = [];
  for (const entry of entries) {
    const group = groups.find(
      (one) => one.some((other) => corrects(other, entry)) || isAboutSame(one[0] as MemoryEntry, entry),
    );
    if (group === undefined) groups.push([entry]);
    else group.push(entry);
  }
  return groups.flatMap((group) =>
    group.toSorted(byAge).map((entry, index) => (index === 0 ? entry : { ...entry, isEarlier: true })),
  );
}

/** Whether the newer of two begins with the other: a correction is remembered with what it corrects. */
function corrects(...two: readonly [MemoryEntry, MemoryEntry]): boolean {
  const [newer, older] = two.toSorted(byAge) as [MemoryEntry, MemoryEntry];
  return newer.content.startsWith(older.content);
}

function isAboutSame(best: MemoryEntry, other: MemoryEntry): boolean {
  const [newer] = [best, other].toSorted(byAge);
  const state = stateOf(best.content);
  if (state !== undefined && state === stateOf(other.content)) return true;
  const words = contentWords(best.content);
  const others = new Set(contentWords(other.content));
  const shared = words.filter((word) => others.has(word)).length;
  if (shared > 1 && contradict(best.content, other.content)) return true;
  if (shared > 1 && ENDS.test(newer?.content ?? '')) return true;
  if (shared > 0 && CORRECTS.test(newer?.content ?? '')) return true;
  if ((other.score ?? 0) < AS_GOOD * (best.score ?? 0)) return false;
  return shared > Math.min(words.length, others.size) / 2;
}

/** Whether one text denies what the other says of the same person: I eat fish, I don't eat fish. */
function contradict(one: string, other: string): boolean {
  const [subject, another] = [one, other].map((text) => BEGINS_WITH_SUBJECT.exec(text)?.[1]?.toLowerCase());
  return subject !== undefined && subject === another && NEGATES.test(one) !== NEGATES.test(other);
}

/** What a text tells the state of, such as "home of my sister". */
function stateOf(content: string): string | undefined {
  for (const [state, pattern] of STATES) {
    const [, subject] = pattern.exec(content) ?? [];
    if (subject !== undefined) return `${state} of ${subject.toLowerCase().replace(/^we$/u, 'i')}`;
  }
  return PROPERTY.exec(content)?.[1]?.toLowerCase().replaceAll(QUALIFIERS, '');
}

function byAge(a: MemoryEntry, b: MemoryEntry): number {
  const [first = '', second = ''] = [a.createdAt, b.createdAt];
  return first === second ? (b.turn?.index ?? 0) - (a.turn?.index ?? 0) : first < second ? 1 : -1;
}
