import { analyse, LATIN_LANGUAGES, LexicalIndex, VectorIndex } from '@keepsake/search';
import { mutateBytes } from '@keepsake/testing/fuzz/bytes';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { grownText, mutateText } from '@keepsake/testing/fuzz/text';
import { excerptOf } from '../../src/ranking/excerpt.ts';
import { namedTimes, timeFactor } from '../../src/ranking/named-times.ts';
import { treeWords } from '../../src/tree/tree-words.ts';

const TEXTS: readonly string[] = [
  "Jon's e-mail of 2023-05-08, 10:30: C++ costs $1,000.50; O'Neil said «ça va».",
  'Was hat Ilse letzten Sonntag im Mai 2026 über die Straßenbahn gesagt?',
  '東京で茶を飲みました。서울에서 친구를 만났어요. สวัสดีครับ',
  "Ankara'da getUserProfile() 🎂🇩🇪 (555) 010-4477 والقاهرة ולירושלים",
  'What did we say two weeks ago, on the 3rd of March, in spring, yesterday evening?',
];

const text = (random: Random) => mutateText(random, random.pick(TEXTS), TEXTS);

export const analysis = fuzzTarget({
  inputs: 500,
  input: text,
  grown: (random, length) => grownText(random, length, TEXTS),
  run(text) {
    for (const language of [undefined, 'none', ...LATIN_LANGUAGES] as const)
      analyse(text.slice(0, 20_000), { language });
    analyse(text);
  },
});

export const queries = fuzzTarget({
  inputs: 500,
  input: text,
  run(query) {
    const now = new Date('2026-05-03T09:12:00Z');
    timeFactor(namedTimes(query, now), now.getTime());
    const words = treeWords(query, LATIN_LANGUAGES, undefined).map(({ forms, weight }) => ({ forms, worth: weight }));
    excerptOf(`${TEXTS.join(' ')} `.repeat(3), { words, language: undefined });
  },
});

function indexOf(texts: readonly string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const one of texts) index.add(one);
  return index;
}

const INDEX = indexOf(TEXTS).snapshot();

export const indexSnapshots = fuzzTarget({
  input: (random) => mutateBytes(random, INDEX),
  run(bytes) {
    const index = LexicalIndex.restore(bytes);
    index?.search('tea in Tokyo');
    index?.add('More tea.');
    index?.remove(0);
    index?.snapshot();
  },
});

function vectorsOf(count: number): VectorIndex {
  const index = new VectorIndex({ dimensions: 4 });
  for (let key = 0; key < count; key++) index.set(`k${key}`, [key, 1, 0, -1]);
  return index;
}

const VECTORS = vectorsOf(5).snapshot();

export const vectorSnapshots = fuzzTarget({
  input: (random) => mutateBytes(random, VECTORS),
  run(bytes) {
    const index = VectorIndex.restore(bytes, { dimensions: 4 });
    index?.search([1, 0, 0, 0]);
    index?.set('new', [1, 1, 1, 1]);
    index?.remove('k0');
    index?.snapshot();
  },
});
