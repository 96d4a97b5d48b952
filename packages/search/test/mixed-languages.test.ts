import { LexicalIndex } from '@keepsake/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentOf, frequencyOf, Postings } from '../src/lexical/postings.ts';
import { SENTENCES } from './detection-samples.ts';

function indexOf(texts: readonly string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const text of texts) index.add(text);
  return index;
}

const TEXTS = [
  'Andreas works at the university library.',
  'Andreas arbeitet in der Bibliothek der Universität.',
  'Andreas travaille à la bibliothèque de l’université.',
  'The dogs were running along the beach.',
  'Die Hunde liefen am Strand entlang.',
  'Собаки бежали по пляжу с Андреасом.',
  '私は昨日東京で寿司を食べました。',
];

function found(query: string, index = indexOf(TEXTS)): number[] {
  return index.search(query, { limit: 10 }).map(({ document }) => document);
}

const WRITTEN = [
  "Leyla geçen yaz Ankara'da bir ev aldı.",
  'سافرت ليلى بالقطار إلى القاهرة في الربيع.',
  'דנה עובדת בחיפה כרופאה.',
  'Mina danced all night 💃🏽🎉',
  'The plumber is at (555) 010-4477.',
  'getUserProfile() throws before the session is open.',
  'Nothing of the kind is here.',
];

describe('words that are written together with something else', () => {
  it.each([
    ['Ankara', 0],
    ["Ankara'ya", 0],
    ['قاهرة', 1],
    ['والقاهرة', 1],
    ['قطار', 1],
    ['חיפה', 2],
    ['רופאה', 2],
    ['💃', 3],
    ['5550104477', 4],
    ['555-010-4477', 4],
    ['user profile', 5],
    ['get_user_profile', 5],
  ])('"%s" finds its document alone', (query, document) => {
    expect(found(query, indexOf(WRITTEN))).toEqual([document]);
  });
});

describe('documents in several languages', () => {
  it.each([
    ['Where did the dog run?', 3],
    ['Wo lief der Hund?', 4],
    ['Hund', 4],
    ['Où travaille Andreas ?', 2],
    ['Кто бегал по пляжам с собакой?', 5],
    ['собака', 5],
    ['東京の寿司', 6],
  ])('"%s" finds the document in its language', (query, document) => {
    expect(found(query)[0]).toBe(document);
  });

  it.each(['Andreas', 'andreas', 'Tell me who Andreas is.', 'Wer ist Andreas?', 'Qui est Andreas ?'])(
    '"%s" finds the name in all languages',
    (query) => {
      expect(found(query).sort()).toEqual([0, 1, 2]);
    },
  );

  it.each(['de', 'en', 'es', 'fr', 'it', 'nl', 'pt'] as const)(
    'are found by a name in %s, among six others',
    (language) => {
      const index = indexOf(Object.values(SENTENCES).flat());
      const own = (SENTENCES[language] as readonly string[])[0];
      const document = index.add(`${own} Dolores Charles.`);
      for (const name of ['Dolores', 'Charles', 'charles']) expect(found(name, index)[0]).toBe(document);
    },
  );

  it('are found by a name among thousands of others', () => {
    const index = indexOf(Array.from({ length: 2_000 }, (_, n) => `The number of this house is ${n}.`));
    const names = ['Andreas', 'Jonas', 'Carlos', 'Thomas'];
    const documents = names.map((name) => index.add(`Die Blumen sind für ${name} und seine Schwester.`));
    expect(names.flatMap((name) => found(name, index))).toEqual(documents);
  });

  it.each([
    ['car colour', 'My car is a red Volvo V60.'],
    ['car keys', 'The keys of the car hang by the door.'],
    ['Tom car', 'My car is a red Volvo V60.'],
    ['sin tax', 'There is a sin tax on sugar.'],
    ['Uno card game', 'We play Uno.'],
  ])('are found by "%s", even if a word of it is a stop word in another language', (query, content) => {
    const stray = 'Il habite dans une vieille maison car elle est grande.';
    for (const texts of [[content], [content, 'Tom likes to read.', 'Tom sails.'], [content, stray]]) {
      expect(found(query, indexOf(texts))).toContain(0);
    }
    const word = /car|sin|uno/i.exec(query)?.[0] as string;
    expect(found(word, indexOf([content, stray]))).toContain(0);
  });

  it('are removed together with their language', () => {
    const index = indexOf(TEXTS);
    for (const document of [1, 4]) index.remove(document);
    const fresh = indexOf(TEXTS.filter((_, document) => document !== 1 && document !== 4));
    for (const query of ['Andreas', 'Hunde am Strand', 'dogs']) {
      expect(index.search(query).map(({ score }) => score)).toEqual(fresh.search(query).map(({ score }) => score));
    }
  });

  it('are restored from a snapshot', () => {
    const index = indexOf(TEXTS);
    const back = LexicalIndex.restore(index.snapshot());
    for (const query of ['Andreas', 'Hunde am Strand', 'Haus'])
      expect(back?.search(query)).toEqual(index.search(query));
  });

  it('count a word once, even if its stems differ by language', () => {
    // The stem is "andrea" in English and "andreas" in German.
    const index = indexOf(['The sister of Andreas is here', 'Die Schwester von Andreas ist hier']);
    const [first, second] = index.search('Andreas');
    expect(first?.score).toBe(second?.score);
  });
});

it('an index with a fixed language analyses no other language', () => {
  const index = new LexicalIndex({ language: 'en' });
  index.add('Wir gehen');
  expect(index.search('ging')).toEqual([]);
  expect(index.search('gehen')).toHaveLength(1);
});

// Sentences with the same meaning and similar words in two languages also find each other.
it('every sentence finds itself among the first 3 of all languages', () => {
  const texts = Object.values(SENTENCES).flat();
  const index = indexOf(texts);
  const missed = texts.filter(
    (text, document) => !index.search(text, { limit: 3 }).some((hit) => hit.document === document),
  );
  expect(missed).toEqual([]);
});

it('only the first 16,384 UTF-16 units of a query are read', () => {
  const index = indexOf(['apple', 'pear']);
  const filling = 'x '.repeat(2 ** 19);
  expect(index.search(`apple ${filling} pear`).map(({ document }) => document)).toEqual([0]);
});

it('the union of posting lists counts how many of them contain each document', () => {
  const lists = fc.array(fc.uniqueArray(fc.nat(20)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lists, (documents) => {
      const postings = new Postings();
      const numbers = documents.map((listed) => {
        const list = postings.open();
        for (const document of listed) postings.count(list, document);
        return list;
      });
      const united = [...postings.union(numbers.map((list) => postings.of(list)))].map((posting) => [
        documentOf(posting),
        frequencyOf(posting),
      ]);
      const expected = new Map<number, number>();
      for (const document of documents.flat()) expected.set(document, (expected.get(document) ?? 0) + 1);
      expect(united.sort()).toEqual([...expected].sort());
    }),
  );
});
