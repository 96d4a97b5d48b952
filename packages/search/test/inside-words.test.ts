import { describe, expect, it } from 'vitest';
import { LexicalIndex } from '../src/index.ts';
import { TermGrams } from '../src/lexical/term-grams.ts';

function indexOf(...texts: readonly string[]): LexicalIndex {
  const index = new LexicalIndex();
  for (const text of texts) index.add(text);
  return index;
}

function found(index: LexicalIndex, query: string): number[] {
  return index.search(query).map(({ document }) => document);
}

describe('words that no document has', () => {
  it.each([
    ['instrumnet', 'She plays an instrument.'],
    ['marathn', 'The marathon is in October.'],
    ['Versicherung', 'Die Krankenversicherungsnummer steht im Ordner.'],
    ['cargobike', 'She wants to buy a cargo bike.'],
    ['cargo bike', 'She wants to buy a cargobike.'],
    ['wi-fi', 'The wifi is called Zwaluw.'],
    ['wifi', 'The wi-fi is called Zwaluw.'],
    ['log in', 'The login page is slow.'],
    ['users get logged out', 'Customers complained about logouts.'],
    ['linter', 'The lint rules come from Biome.'],
    ['phone', 'User switched to an iPhone.'],
    ['bütçemiz', 'Mutfak tadilatının bütçesi 300 bin lira.'],
    ['γάτας', 'Η γάτα λέγεται Ντίνα.'],
    ['кошачьего', 'Кошачий корм закончился.'],
    ['getUserProfile', 'Call get_user_profile first.'],
    ['user_profile', 'getUserProfile reads it.'],
    ['user profile', 'getUserProfile reads it.'],
  ])('%s finds %s', (query, text) => {
    const index = indexOf('Nothing else here.', text, 'Another note.');
    expect(found(index, query)).toEqual([1]);
  });

  it.each([
    ['2024', 'In 2023 she moved.'],
    ['A1234', 'Invoice A1235 is paid.'],
    ['cat', 'A dog barked.'],
  ])('%s does not find %s', (query, text) => {
    expect(found(indexOf(text), query)).toEqual([]);
  });
});

describe('a word of two words that are written as one', () => {
  it('finds both, before a word that it only begins with', () => {
    const index = indexOf('The car is grey.', 'She wants to buy a second-hand cargo bike.', 'The car is due in May.');
    expect(found(index, 'cargobike')[0]).toBe(1);
  });
});

describe('a match inside a word', () => {
  it('never ranks above a match of the whole word', () => {
    const filler = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');
    const index = indexOf(`a bike ${filler}`, 'motorbike', 'bikes');
    expect(found(index, 'bike').slice(0, 2).sort()).toEqual([0, 2]);
  });

  it('does not depend on the order of additions, nor on removed documents', () => {
    const texts = ['the marathoner', 'a marathon', 'marathons', 'the marching band'];
    const expected = indexOf(...texts).search('marathn');
    const index = indexOf('marathn', ...texts);
    index.search('maratho');
    index.remove(0);
    expect(index.search('marathn').map(({ score }) => score)).toEqual(expected.map(({ score }) => score));
  });

  it('is found in documents that were added after a search, and in a restored index', () => {
    const index = indexOf('a note');
    expect(found(index, 'marathn')).toEqual([]);
    const document = index.add('The marathon is in October.');
    expect(found(index, 'marathn')).toEqual([document]);
    const restored = LexicalIndex.restore(index.snapshot()) as LexicalIndex;
    expect(restored.search('marathn')).toEqual(index.search('marathn'));
    restored.remove(document);
    expect(found(restored, 'marathn')).toEqual([]);
  });
});

describe('numbers', () => {
  it.each([
    ['044 123 45 67', 'Call +41 44 123 45 67.'],
    ['+41441234567', 'Call (044) 123-45-67.'],
    ['0441234567', 'Call 0041 44 123 45 67.'],
    ['2.3.1', 'Release v2.3.1 is out.'],
    ['v2.3.1', 'Version 2.3.1 is out.'],
    ['🎉', 'We did it 🎉'],
  ])('%s finds %s', (query, text) => {
    expect(found(indexOf('A note', text), query)).toEqual([1]);
  });
});

describe('TermGrams', () => {
  it('orders terms by similarity and then by spelling', () => {
    const forward = new TermGrams();
    const backward = new TermGrams();
    const terms = ['marathon', 'marathons', 'maraton', 'parathon', 'karathon', 'lamp'];
    for (const term of terms) forward.add(term);
    for (const term of terms.toReversed()) backward.add(term);
    expect(forward.similarTo('marathn')).toEqual(backward.similarTo('marathn'));
    expect(forward.similarTo('marathn').map(({ term }) => term)).not.toContain('lamp');
    const [most] = forward.similarTo('marathn');
    expect(forward.similarTo('marathn', most?.similarity)).toEqual([most]);
    expect(forward.similarTo('marathon').map(({ term }) => term)).not.toContain('marathon');
  });
});
