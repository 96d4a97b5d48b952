import type { Turn } from '@keepsake/core';
import { hostedSpeaker, hostedTerms, type Language, quantizedFrequency } from '@keepsake/search';
import type { ScriptArgument } from './redis-client.ts';

/** What scripts must know of a record to add it to the index, or to remove it. `take_document` reads it. */
export function describeDocument(
  { content, index, turn }: { readonly content: string; readonly index: boolean; readonly turn: Turn | undefined },
  language: Language | undefined,
): ScriptArgument[] {
  if (!index) return ['', '', 0, '', '', '', 0, 0, '', ''];
  const found = hostedTerms(content, language);
  const called = turn?.speaker === undefined ? '' : JSON.stringify(hostedSpeaker(turn.speaker)).slice(1, -1);
  return [
    '1',
    found.language,
    found.length,
    [...found.terms.keys()].join('\0'),
    Buffer.from(Array.from(found.terms.values(), (times) => quantizedFrequency(times, found.length))),
    turn?.thread ?? '',
    turn?.index ?? 0,
    found.flags,
    turn?.speaker ?? '',
    called,
  ];
}
