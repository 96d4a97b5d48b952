/** A part of a text: `text` is what stands from `start` to `end`, in UTF-16 units. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Longer entries come with an excerpt, in UTF-16 units; shorter ones are read as fast as their best passage. */
const MAX_WITHOUT_EXCERPT = 480;
/** How long an excerpt is at most, in UTF-16 units. */
const MAX_EXCERPT = 320;

/** What a part of a text holds of a query: terms, and what each is worth. A term counts once a passage. */
export type ReadTerms = (part: string) => Iterable<readonly [term: string, worth: number]>;

/**
 * The passage of a long text that holds most of a query: whole sentences and lines where they fit, the earliest of equal
 * passages. `undefined` for a text that is short enough to be shown whole. Linear time on any text.
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

/** From the first to the last part, both included. */
type PartRange = readonly [first: number, last: number];

/** A sentence, or a line of something else. A dot within a number or a name of a file ends nothing. */
const SENTENCE = /(?:[^.!?。！？\n]+|[.!?](?=[^\s"'”’)\]]))*(?:[.!?。！？]+["'”’)\]]*|\n|$)\s*/g;

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (const { 0: sentence, index } of text.matchAll(SENTENCE)) {
    const end = index + sentence.length;
    // What has no end, such as a table of numbers, is cut at spaces.
    for (let start = index; start < end; ) {
      const next = end - start <= MAX_EXCERPT ? end : cutAt(text, start, start + MAX_EXCERPT);
      parts.push({ start, end: next });
      start = next;
    }
  }
  return parts;
}

/** After the last space in the second half, else at the limit, but never within a pair of surrogates. */
function cutAt(text: string, start: number, limit: number): number {
  const space = text.lastIndexOf(' ', limit - 1);
  if (space > start + (limit - start) / 2) return space + 1;
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function bestWindow(text: string, parts: readonly Part[], read: ReadTerms): PartRange {
  const terms = parts.map(({ start, end }) => [...read(text.slice(start, end))]);
  const counts = new Map<string, number>();
  let best: PartRange = [0, 0];
  let [first, worth, most] = [0, 0, 0];
  for (const [last, found] of terms.entries()) {
    for (const [term, termWorth] of found) {
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
    // By more than a rounding error: sums that were added and subtracted are not exact.
    if (worth > most + 1e-9) [best, most] = [[first, last], worth];
  }
  return best;
}

/** A window without what its ends do not need, and then with what follows and what stands before, as far as that fits. */
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
