import { expect, it } from 'vitest';
import { lexiconOf } from '../src/text/lexicon.ts';
import { StemmedWords } from '../src/text/stemmed-words.ts';

const WORDS = 'hobby pet animal city town relative relatives memory memoir music musician musical sky art artist'.split(
  ' ',
);

function stemOf(word: string): string {
  const [found] = [lexiconOf('en').look(word)].flat();
  return found?.term ?? '';
}

it.each([{ asked: WORDS }, { asked: WORDS.toReversed() }])(
  'words are found by their stems, in any order of questions (%#)',
  ({ asked }) => {
    const words = new StemmedWords(WORDS.map((word) => [word, word]));
    for (const word of asked) {
      expect([word, words.get(stemOf(word))]).toEqual([word, WORDS.filter((one) => stemOf(one) === stemOf(word))]);
    }
    for (const stem of ['heron', 'a', '', 'artis', 'memor']) expect(words.get(stem)).toEqual([]);
  },
);
