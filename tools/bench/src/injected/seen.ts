import { mean } from '../statistics.ts';

/** So many characters in a row tell what an entry says. */
const STRETCH = 60;

/** The part of the evidence that a block shows: an entry counts when any stretch of it is there. */
export function partSeen(block: string, evidence: readonly string[]): number {
  const shown = plain(unescaped(block));
  const stretches = new Set(stretchesOf(shown));
  const isSeen = (entry: string) =>
    entry.length <= STRETCH ? shown.includes(entry) : stretchesOf(entry).some((stretch) => stretches.has(stretch));
  return mean(evidence.map((entry) => (isSeen(plain(entry)) ? 1 : 0)));
}

function stretchesOf(text: string): string[] {
  const count = Math.max(0, text.length - STRETCH + 1);
  return Array.from({ length: count }, (_, start) => text.slice(start, start + STRETCH));
}

/** Blocks write any white space as one space, and leave out characters without a look. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{DI}]/gu, '')
    .trim();
}

const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function unescaped(block: string): string {
  return block.replace(/&(?:amp|lt|gt);/g, (entity) => CHARACTERS[entity] as string);
}
