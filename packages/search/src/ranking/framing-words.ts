import { StemmedWords } from '../text/stemmed-words.ts';

/**
 * English words that frame a request and say little of its subject: "Can you list, in order, the different aspects of …
 * that I mentioned throughout our conversations?" Words for the present are among them: entries seldom have them.
 */
const WORDS =
  'summary summarize summarise overview recap comprehensive complete clear detail list order item aspect step mention ' +
  'bring discuss talk conversation chat session throughout ask answer question say tell give show ' +
  'provide explain describe recommend suggest advise remember remind recall include consider different various ' +
  'current latest newest recent nowadays next upcoming';

let words: StemmedWords<true> | undefined;

/** Whether an English stem is that of a framing word. */
export function isFraming(stem: string): boolean {
  words ??= new StemmedWords(WORDS.split(' ').map((word) => [word, true]));
  return words.get(stem).length > 0;
}
