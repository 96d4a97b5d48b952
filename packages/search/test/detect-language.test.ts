import { describe, expect, it } from 'vitest';
import { type DetectedLanguage, LATIN_LANGUAGES, type LatinLanguage } from '../src/languages/language.ts';
import { detectLanguage, detectLanguages } from '../src/text/detect-language.ts';
import { tokensOf } from '../src/text/token.ts';
import { KEYWORDS, SENTENCES } from './detection-samples.ts';

function detected(text: string, otherwise?: DetectedLanguage): DetectedLanguage {
  return detectLanguage(tokensOf(text), otherwise);
}

/** Prints and returns the share of texts whose language is detected. */
function accuracy(name: string, texts: readonly string[], language: LatinLanguage, otherwise?: LatinLanguage): number {
  const right = texts.filter((text) => detected(text, otherwise) === language).length;
  console.log(`${name}, ${language}: ${right} of ${texts.length}`);
  return right / texts.length;
}

describe.each(LATIN_LANGUAGES)('%s', (language) => {
  it('is detected in sentences', () => {
    expect(accuracy('sentences', SENTENCES[language], language)).toBeGreaterThanOrEqual(0.95);
  });

  it('is detected in keywords if the documents are in it', () => {
    expect(
      accuracy('keywords in a store of that language', KEYWORDS[language], language, language),
    ).toBeGreaterThanOrEqual(0.8);
    accuracy('keywords alone', KEYWORDS[language], language);
  });
});

it('falls back to English, or to the given language, if a text has no hints', () => {
  for (const text of ['', 'Caroline', 'iPhone 15', '2023-05-08', 'Haha!!!', '东京', 'Κώστας', '🎂']) {
    expect(detected(text)).toBe('en');
    expect(detected(text, 'nl')).toBe('nl');
  }
});

it('does not mistake English for another language because of one word', () => {
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
  const languages = (query: string, held: DetectedLanguage[]) => detectLanguages(tokensOf(query), held);

  it('is analysed in its own language first, then in those of the documents', () => {
    expect(languages('Wo wohnt meine Schwester?', ['en', 'fr', 'de'])).toEqual(['de', 'en', 'fr']);
    expect(languages('Where does my sister live?', ['de', 'fr', 'en'])).toEqual(['en', 'de', 'fr']);
  });

  it('is analysed in the most frequent language first if it has no hints', () => {
    expect(languages('Caroline', ['fr', 'en'])).toEqual(['fr', 'en']);
    expect(languages('Caroline', [])).toEqual(['en']);
  });

  it('is never analysed in a language without documents', () => {
    expect(languages('Wo wohnt meine Schwester?', ['en', 'fr'])).toEqual(['en', 'fr']);
  });

  it('is not assigned a language because of a single word', () => {
    expect(languages('car colour', ['en', 'fr'])).toEqual(['en', 'fr']);
    expect(languages('car il est tard', ['en', 'fr'])).toEqual(['fr', 'en']);
  });
});

it.each([
  'Kedimin adı Pamuk ve dört yaşında.',
  'Toplantı yarın saat onda, değil mi?',
  'Con mèo của tôi tên là Bông.',
  'Moja siostra mieszka w Krakowie od maja.',
  'Schůzka byla přesunuta na čtvrtek.',
  'Min syster bor i Göteborg och har två barn.',
  'Hvor bor min søster, og når kommer hun?',
  'Siskoni asuu Tampereella ja hän on lääkäri.',
  'A macskám neve Cirmos, és nem szereti a gyümölcsöt, csak a húst.',
  'Sora mea locuiește în Cluj cu doi copii.',
  'Saya tinggal di Bandung dengan dua kucing.',
])('a text in a language without a stemmer is not taken for a neighbour: %s', (text) => {
  expect(detected(text)).toBe('none');
});
