import { membersOf } from './kinds.ts';
import type { TermGroup } from './lexical-index.ts';
import { WEIGHTS } from './ranking-weights.ts';
import { otherForms } from './word-forms.ts';

/** What ranking by conversations looks for where a query names an English word: its forms, and things of that kind. */
export function readWord(stem: string): readonly TermGroup[] {
  const word = { terms: [stem, ...otherForms(stem)], weight: 1 };
  const members = membersOf(stem);
  return members.length === 0 ? [word] : [word, { terms: members, weight: WEIGHTS.kind }];
}
