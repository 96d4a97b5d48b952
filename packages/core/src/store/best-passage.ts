import { characterStart } from '@keepsake/internal';
import { LIMITS } from '../common/limits.ts';

/** A part of a text, from `start` to `end` in UTF-16 units. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Longer entries have an excerpt, in UTF-16 units. Shorter ones are as quick to read as their best passage. */
const MAX_WITHOUT_EXCERPT = 480;
/** The maximum length of an excerpt in UTF-16 units. */
const MAX_EXCERPT = 320;

/** Returns the query terms in a part of a text, with their worth. A term counts once per passage. */
export type ReadTerms = (part: string) => Iterable<readonly [term: string, worth: number]>;

/**
 * The best passage of a long text for a query: whole sentences and lines if they fit, the earliest on a tie. `undefined` if
 * the text is short enough to show in full. Runs in linear time.
 */
export function bestPassage(text: string, read: ReadTerms): Excerpt | undefined {
  if (text.length <= MAX_WITHOUT_EXCERPT) return undefined;
  const parts = partsOf(text);
  const [first, last] = widened(parts, bestWindow(text, parts, read));
  return trimmed(text, (parts[first] as Part).start, (parts[last] as Part).end);
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** The first and the last part, inclusive. */
type PartRange = readonly [first: number, last: number];

/** A sentence or a line. A dot within a number or a file name does not end a sentence. */
const SENTENCE = /(?:[^.!?。！？\n]+|[.!?](?=[^\s"'”’)\]]))*(?:[.!?。！？]+["'”’)\]]*|\n|$)\s*/g;

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (const { start: from, end } of sentencesOf(text)) {
    // Text without sentence ends, such as a table of numbers, is cut at spaces.
    for (let start = from; start < end; ) {
      const next = end - start <= MAX_EXCERPT ? end : cutAt(text, start, start + MAX_EXCERPT);
      parts.push({ start, end: next });
      start = next;
    }
  }
  return parts;
}

/** A text that is longer than a content can be comes from a store of others. In pieces, because a match needs memory. */
function* sentencesOf(text: string): Generator<Part> {
  for (let from = 0; from < text.length; ) {
    const end = characterStart(text, Math.min(from + LIMITS.contentBytes, text.length));
    for (const { 0: sentence, index } of text.slice(from, end).matchAll(SENTENCE)) {
      yield { start: from + index, end: from + index + sentence.length };
    }
    from = end;
  }
}

/** Cuts after the last space in the second half, else at the limit, never within a surrogate pair. */
function cutAt(text: string, start: number, limit: number): number {
  const half = start + Math.floor((limit - start) / 2) + 1;
  // In a slice, because a text without spaces would be searched to its beginning, for each part.
  const space = text.slice(half, limit).lastIndexOf(' ');
  if (space >= 0) return half + space + 1;
  return characterStart(text, limit);
}

function bestWindow(text: string, parts: readonly Part[], read: ReadTerms): PartRange {
  const terms = parts.map(({ start, end }) => [...read(text.slice(start, end))]);
  const counts = new Map<string, number>();
  let best: PartRange = [0, 0];
  let [first, worth, most] = [0, 0, 0];
  for (const [last, partTerms] of terms.entries()) {
    for (const [term, termWorth] of partTerms) {
      const count = counts.get(term) ?? 0;
      if (count === 0) worth += termWorth;
      counts.set(term, count + 1);
    }
    while (sizeOf(parts, [first, last]) > MAX_EXCERPT) {
      for (const [term, termWorth] of terms[first++] as (readonly [string, number])[]) {
        const count = (counts.get(term) as number) - 1;
        if (count === 0) worth -= termWorth;
        counts.set(term, count);
      }
    }
    // By more than a rounding error, because the running sums are not exact.
    if (worth > most + 1e-9) [best, most] = [[first, last], worth];
  }
  return best;
}

/** Trims useless parts at the ends of a window, then extends it to following and preceding parts that fit. */
function widened(parts: readonly Part[], [from, to]: PartRange): PartRange {
  let [first, last] = [from, to];
  while (last + 1 < parts.length && sizeOf(parts, [first, last + 1]) <= MAX_EXCERPT) last++;
  while (first > 0 && sizeOf(parts, [first - 1, last]) <= MAX_EXCERPT) first--;
  return [first, last];
}

function sizeOf(parts: readonly Part[], [first, last]: PartRange): number {
  return (parts[last] as Part).end - (parts[first] as Part).start;
}

function trimmed(text: string, start: number, end: number): Excerpt {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  const shown = part.trim();
  return { text: shown, start: from, end: from + shown.length };
}
