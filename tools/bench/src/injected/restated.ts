import { analyse } from '@keepsake/search';

/** An entry restates another if that has at least this share of its words. */
const SHARE = 0.8;
/** Fewer words are in another entry by chance. */
const MIN_WORDS = 2;
/** The markup before the text of an entry. */
const BEFORE = /^[\s\S]*<entry[^>]*>/;

/**
 * How many of the entries of a block restate one above: it has nearly all of their words, stemmed, without stop words. Simpler
 * than the rule of Keepsake's block, and not the same, so that a block can fail it.
 *
 * @param entries - Without their end tags.
 */
export function restatementsIn(entries: readonly string[]): number {
  const words = entries.map((entry) => new Set(analyse(entry.replace(BEFORE, ''))));
  return words.filter(
    (own, place) => own.size >= MIN_WORDS && words.slice(0, place).some((above) => restates(own, above)),
  ).length;
}

function restates(own: ReadonlySet<string>, above: ReadonlySet<string>): boolean {
  return [...own].filter((word) => above.has(word)).length >= SHARE * own.size;
}
