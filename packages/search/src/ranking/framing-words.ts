import { lexiconOf } from '../text/lexicon.ts';

/**
 * English words that frame a request and say little of its subject: "Can you list, in order, the different aspects of …
 * that I mentioned throughout our conversations?"
 */
const WORDS =
  'summary summarize summarise overview recap comprehensive complete clear detail list order item aspect step mention ' +
  'bring brought discuss talk conversation chat session throughout ask answer question say said tell told give gave show ' +
  'provide explain describe recommend suggest advise remember remind recall include consider different various';

let stems: ReadonlySet<string> | undefined;

/** Whether an English stem is that of a framing word. */
export function isFraming(stem: string): boolean {
  stems ??= new Set(WORDS.split(' ').flatMap((word) => [lexiconOf('en').look(word)].flat().map(({ term }) => term)));
  return stems.has(stem);
}
