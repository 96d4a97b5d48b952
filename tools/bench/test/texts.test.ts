import { analyse } from '@keepsake/search';
import { describe, expect, it } from 'vitest';
import { stopWordsAmong, wordsOf } from '../src/engines/stop-words.ts';
import { makeTexts } from '../src/search/texts.ts';
import { vectorOf } from '../src/search/vectors.ts';

const texts = makeTexts(2_000);

describe('the texts of a benchmark', () => {
  it('are the same for the same number of entries', () => {
    expect(makeTexts(2_000)).toEqual(texts);
  });

  it('have 6 to 33 words', () => {
    const lengths = texts.entries.map(({ content }) => wordsOf(content).length);

    expect(Math.min(...lengths)).toBe(6);
    expect(Math.max(...lengths)).toBe(33);
  });

  it('have about 4,000 characters if they are long', () => {
    const lengths = makeTexts(50, 'long').entries.map(({ content }) => content.length);

    expect(Math.min(...lengths)).toBeGreaterThan(3_200);
    expect(Math.max(...lengths)).toBeLessThan(4_800);
  });

  it('resemble natural language: a third to two thirds are stop words of Keepsake', () => {
    const words = texts.entries.flatMap(({ content }) => wordsOf(content));
    const share = words.filter((word) => texts.stopWords.has(word)).length / words.length;

    expect(share).toBeGreaterThan(1 / 3);
    expect(share).toBeLessThan(2 / 3);
    expect([...texts.stopWords].filter((word) => analyse(`${word} zebra`).length > 1)).toEqual([]);
    const others = new Set(words.filter((word) => !texts.stopWords.has(word)));
    expect(stopWordsAmong(others).size).toBe(0);
  });

  it('form conversations of two people who take turns', () => {
    const [first, second, third] = texts.entries.map(({ turn }) => turn);

    expect(first).toMatchObject({ thread: 'conversation 0', index: 0 });
    expect(second).toMatchObject({ thread: 'conversation 0', index: 1 });
    expect(third?.speaker).toBe(first?.speaker);
    expect(second?.speaker).not.toBe(first?.speaker);
  });

  it('have queries that match exactly one entry', () => {
    for (const { query, place } of texts.known) {
      const holding = texts.entries.flatMap(({ content }, at) => (wordsOf(content).includes(query) ? [at] : []));
      expect(holding).toEqual([place]);
    }
  });

  it('have no query of only stop words', () => {
    const empty = texts.queries.filter((query) => wordsOf(query).every((word) => texts.stopWords.has(word)));

    expect(empty).toEqual([]);
  });
});

it('the vector of a number is unique and has length 1', () => {
  const length = Math.hypot(...vectorOf(3));

  expect(length).toBeCloseTo(1);
  expect(vectorOf(3)).toEqual(vectorOf(3));
  expect(vectorOf(3)).not.toEqual(vectorOf(4));
});
