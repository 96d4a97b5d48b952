const DEVANAGARI_WORD = /^[\u0900-\u097f]{3,}$/;
/** The endings of nouns, adjectives and participles in each number, gender and case. */
const ENDING = /(?<=..)(?:ियों|ियाँ|ियां|ाओं|ाएँ|ाएं|ुओं|ुएँ|ुएं|ओं|एँ|एं|ों|ें|ीं|ा|े|ी|ो|ि)$/;

/** A Hindi word without its ending: `लड़कियों`, `लड़की` and `लड़के` are `लड़क`. */
export function withoutHindiEnding(word: string): string {
  return DEVANAGARI_WORD.test(word) ? word.replace(ENDING, '') : word;
}
