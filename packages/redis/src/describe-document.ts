import type { Turn } from '@keepsake/core';
import { hostedSpeaker, hostedTerms, type Language } from '@keepsake/search';
import type { ScriptArgument } from './redis-client.ts';
import { weigh } from './weigh.ts';

const ASKS = 1;
const SPEAKS_OF_TIME = 2;

/** What scripts need to know of a record to take it into the index, or out again: `take_document` reads it. */
export function describeDocument(
  { content, index, turn }: { readonly content: string; readonly index: boolean; readonly turn: Turn | undefined },
  language: Language | undefined,
): ScriptArgument[] {
  if (!index) return ['', '', 0, '', '', '', 0, 0, '', ''];
  const found = hostedTerms(content, language);
  const what = (found.asks ? ASKS : 0) + (found.speaksOfTime ? SPEAKS_OF_TIME : 0);
  const called = turn?.speaker === undefined ? '' : JSON.stringify(hostedSpeaker(turn.speaker)).slice(1, -1);
  return [
    '1',
    found.language,
    found.length,
    [...found.terms.keys()].join('\0'),
    Buffer.from(Array.from(found.terms.values(), (times) => weigh(times, found.length))),
    turn?.thread ?? '',
    turn?.index ?? 0,
    what,
    turn?.speaker ?? '',
    called,
  ];
}

/** The flags of a turn, as they come back. */
export function readFlags(what: number) {
  return { asks: (what & ASKS) !== 0, speaksOfTime: (what & SPEAKS_OF_TIME) !== 0 };
}
