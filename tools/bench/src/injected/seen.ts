import { mean } from '../statistics.ts';

/** The length of a run of characters that identifies an entry. */
const RUN_LENGTH = 60;

/** The share of the evidence that a block shows. An entry counts if any run of its characters is in the block. */
export function partSeen(block: string, evidence: readonly string[]): number {
  const shown = plain(unescaped(block));
  const runs = new Set(runsOf(shown));
  const isSeen = (entry: string) =>
    entry.length <= RUN_LENGTH ? shown.includes(entry) : runsOf(entry).some((run) => runs.has(run));
  return mean(evidence.map((entry) => (isSeen(plain(entry)) ? 1 : 0)));
}

function runsOf(text: string): string[] {
  const count = Math.max(0, text.length - RUN_LENGTH + 1);
  return Array.from({ length: count }, (_, start) => text.slice(start, start + RUN_LENGTH));
}

/** Blocks collapse white space to one space and omit invisible characters. */
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
