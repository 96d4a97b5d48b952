import type { Turn } from '@keepsake/core';
import type { Language } from '@keepsake/search';
import { quantizedFrequency, remoteSpeaker, remoteTerms } from '@keepsake/search/remote';
import type { ScriptArgument } from '../client/redis-client.ts';

/** What scripts need of a record to index it, or to remove it from the index. `take_document` in Lua reads it. */
export function describeDocument(
  { content, index, turn }: { readonly content: string; readonly index: boolean; readonly turn?: Turn | undefined },
  language: Language | undefined,
): ScriptArgument[] {
  if (!index) return ['', '', 0, '', '', '', 0, 0, '', ''];
  const found = remoteTerms(content, language);
  const aliases = turn?.speaker === undefined ? '' : JSON.stringify(remoteSpeaker(turn.speaker)).slice(1, -1);
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
    aliases,
  ];
}
