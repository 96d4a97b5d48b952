import { describe, expect, it } from 'vitest';
import { detectLanguage, detectLanguages } from '../src/detect-language.ts';
import { LATIN_LANGUAGES, type LatinLanguage } from '../src/language.ts';
import { tokensOf } from '../src/token.ts';
import { KEYWORDS, SENTENCES } from './detection-samples.ts';

function detected(text: string, otherwise?: LatinLanguage): LatinLanguage {
  return detectLanguage(tokensOf(text), otherwise);
}

/** The share that is detected, which is printed. */
function accuracy(name: string, texts: readonly string[], language: LatinLanguage, otherwise?: LatinLanguage): number {
  const right = texts.filter((text) => detected(text, otherwise) === language).length;
  console.log(`${name}, ${language}: ${right} of ${texts.length}`);
  return right / texts.length;
}

describe.each(LATIN_LANGUAGES)('%s', (language) => {
  it('is detected in sentences', () => {
    expect(accuracy('sentences', SENTENCES[language], language)).toBeGreaterThanOrEqual(0.95);
  });

  it('is taken for keywords where the documents are in it', () => {
    expect(accuracy('keywords in a store of theirs', KEYWORDS[language], language, language)).toBeGreaterThanOrEqual(
      0.8,
    );
    accuracy('keywords alone', KEYWORDS[language], language);
  });
});

it('takes what does not say for English, or for what it is told', () => {
  for (const text of ['', 'Caroline', 'iPhone 15', '2023-05-08', 'Haha!!!', '东京', 'Κώστας', '🎂']) {
    expect(detected(text)).toBe('en');
    expect(detected(text, 'nl')).toBe('nl');
  }
});

it('takes no English for another language because a word of it looks so', () => {
  const texts = [
    'Die Hard!',
    'The war was on.',
    'Chat with Ben van Dyke',
    'So fun!',
    'Pour me one, my friend',
    'Adios amigos, see you soon',
    'Café Müller was great',
    'Oh la la, so chic!',
    'No way!',
    'Is Maria in?',
  ];
  expect(texts.filter((text) => detected(text) !== 'en')).toEqual([]);
});

describe('a query', () => {
  const languages = (query: string, held: LatinLanguage[]) => detectLanguages(tokensOf(query), held);

  it('is read in its own language first, then in those of the documents', () => {
    expect(languages('Wo wohnt meine Schwester?', ['en', 'fr', 'de'])).toEqual(['de', 'en', 'fr']);
    expect(languages('Where does my sister live?', ['de', 'fr', 'en'])).toEqual(['en', 'de', 'fr']);
  });

  it('that does not say is taken for one of the most frequent language', () => {
    expect(languages('Caroline', ['fr', 'en'])).toEqual(['fr', 'en']);
    expect(languages('Caroline', [])).toEqual(['en']);
  });

  it('is in none that no document is in', () => {
    expect(languages('Wo wohnt meine Schwester?', ['en', 'fr'])).toEqual(['en', 'fr']);
  });

  it('is in no language that a single word speaks for', () => {
    expect(languages('car colour', ['en', 'fr'])).toEqual(['en', 'fr']);
    expect(languages('car il est tard', ['en', 'fr'])).toEqual(['fr', 'en']);
  });
});
