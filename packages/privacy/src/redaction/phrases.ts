import type { Range } from './range.ts';

/** What people and programs call the words that restore a wallet (BIP 39). */
const NAME =
  /(?:mnemonic|bip-?39|(?:recovery|backup|wallet|secret)[ _-]?(?:phrase|words?|seed)|(?<![a-z])seed|\b(?:12|15|18|21|24)[ -]words?)(?:[ _-]?(?:phrase|words?|seed|mnemonic))?/gi;
/** From the name to the words: ` for my wallet is`, `:`, a line break. */
const BETWEEN = /[^\n:：=＝]{0,40}?(?:[:：=＝\n]|\s(?:is|are|was)(?=\s)):?[\s"'`*_[(]{0,12}/y;
const NUMBER = '(?:\\d{1,2}[.):]?[ \\t]{0,2})?';
const WORDS = /* @__PURE__ */ new RegExp(
  `${NUMBER}[a-z]{3,8}(?:[\\s,"'\`]{1,6}${NUMBER}[a-z]{3,8}){11,23}(?![a-z])`,
  'iy',
);
const WORD = /[a-z]{3,8}/gi;
/** In sentences, but in no word list. */
const OF_SENTENCES =
  /\b(?:and|the|for|are|was|has|have|not|but|from|your|our|its|their|them|these|those|were|been|would|could|should|without|which|how|why|than|most|got|does|did|some|many|such)\b/i;

/** Recovery phrases behind their name: 12 to 24 words of a word list, also numbered, in a list, or one on a line. */
export function findPhrases(text: string): Range[] {
  const ranges: Range[] = [];
  NAME.lastIndex = 0;
  while (NAME.test(text)) {
    BETWEEN.lastIndex = NAME.lastIndex;
    if (!BETWEEN.test(text)) continue;
    const begin = BETWEEN.lastIndex;
    const end = endOfPhrase(text, begin);
    if (end === undefined) continue;
    ranges.push([begin, end]);
    NAME.lastIndex = end;
  }
  return ranges;
}

/** Whether a text is nothing but a recovery phrase. */
export function isPhrase(text: string): boolean {
  return text.length < MAX_PHRASE && endOfPhrase(text.trim(), 0) !== undefined;
}

const MAX_PHRASE = 400;

/** Phrases have a multiple of three words. One more belongs to what follows. */
function endOfPhrase(text: string, begin: number): number | undefined {
  WORDS.lastIndex = begin;
  const [words] = WORDS.exec(text) ?? [];
  if (words === undefined) return undefined;
  const ends = [...words.matchAll(WORD)].map(({ 0: word, index }) => index + word.length);
  const phrase = words.slice(0, ends[ends.length - (ends.length % 3) - 1]);
  return OF_SENTENCES.test(phrase) ? undefined : begin + phrase.length;
}
