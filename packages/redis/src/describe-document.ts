import type { Turn } from '@keepsake/core';
import { hostedSpeaker, hostedTerms, type Language } from '@keepsake/search';
import { weigh } from './weigh.ts';

const ASKS = 1;
const SPEAKS_OF_TIME = 2;

/**
 * What scripts need to know of a record to take it into the index, or out again: `take_document` reads it. It is one
 * argument, since Redis and its client take their time for each.
 */
export function describeDocument(
  { content, index, turn }: { readonly content: string; readonly index: boolean; readonly turn: Turn | undefined },
  language: Language | undefined,
): string {
  if (!index) return '';
  const found = hostedTerms(content, language);
  return JSON.stringify({
    terms: [...found.terms.keys()],
    weights: [...found.terms.values()].map((times) => weigh(times, found.length)),
    length: found.length,
    language: found.language,
    thread: turn?.thread,
    index: turn?.index,
    what: (found.asks ? ASKS : 0) + (found.speaksOfTime ? SPEAKS_OF_TIME : 0),
    speaker: turn?.speaker,
    called: turn?.speaker === undefined ? undefined : JSON.stringify(hostedSpeaker(turn.speaker)).slice(1, -1),
  });
}

/** The flags of a turn, as they come back. */
export function readFlags(what: number) {
  return { asks: (what & ASKS) !== 0, speaksOfTime: (what & SPEAKS_OF_TIME) !== 0 };
}
