import { characterStart } from '@keepsake/internal';

/** The longest beginning of a text, roughly, that costs no more than the budget. Never ends inside a surrogate pair. */
export function cutToFit(text: string, costOf: (part: string) => number, budget: number): string {
  let part = text;
  for (let cost = costOf(part); cost > budget && part !== ''; cost = costOf(part)) {
    // A little less than its share, because what surrounds the text costs, too.
    const share = Math.floor(part.length * Math.max(0, budget / cost) * 0.95);
    part = cutAt(part, Math.min(share, part.length - 1));
  }
  return part;
}

/** The first `length` UTF-16 units, or one less if that would part a surrogate pair. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, characterStart(text, length));
}
