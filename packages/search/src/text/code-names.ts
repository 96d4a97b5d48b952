import { MAX_WORD_LENGTH } from './lexicon.ts';

const HUMP = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;
const WORD = /[A-Za-z][A-Za-z0-9]*/g;
/** Before a capital after a small letter or a digit, and before the last capital of an acronym, but not in "DVDs". */
const BORDER = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))/;

/**
 * A text with the words of its names in code after each: `getUserProfile` as `getUserProfile get User Profile`. Only words
 * that the text does not have are added, and once, so that code does not rank above prose because it repeats its names.
 */
export function withWordsOfNames(text: string): string {
  if (!HUMP.test(text)) return text;
  const seenWords = new Set(text.match(WORD)?.map((word) => word.toLowerCase()));
  return text.replace(WORD, (name) => {
    const words = wordsOf(name).filter((word) => !seenWords.has(word.toLowerCase()));
    for (const word of words) seenWords.add(word.toLowerCase());
    return [name, ...words].join(' ');
  });
}

/** The words of a name. None for names of products and people, such as "iPhone" and "YouTube". */
function wordsOf(name: string): string[] {
  if (name.length > MAX_WORD_LENGTH || !HUMP.test(name)) return [];
  const words = name.split(BORDER);
  const [first = '', second = ''] = words;
  // An acronym makes a name only after a word: "userID", but not "ctDNA".
  const isNamed = first.length >= (/[a-z]/.test(second) ? 2 : 3);
  return isNamed && words.length >= (/^[a-z]/.test(first) ? 2 : 3) ? words : [];
}
