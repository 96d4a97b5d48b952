import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataSet, readDataSet } from '../src/conversations/data-set.ts';
import { sqlite } from '../src/engines/sqlite.ts';
import { appendedTo, type Injector } from '../src/injected/injector.ts';
import { keepsake } from '../src/injected/keepsake.ts';
import { report, toJson } from '../src/injected/report.ts';
import { differences, type Injected, type InjectedResults, requirements } from '../src/injected/results.ts';
import { inSameBlock } from '../src/injected/same-block.ts';
import { partSeen } from '../src/injected/seen.ts';
import { type Shown, showAll, sizeOf } from '../src/injected/shown.ts';

const data = readDataSet(join(import.meta.dirname, 'conversations/beam'));
const long =
  'The ferry to Norway leaves at half past six in the evening, from the second quay on the left of the harbour.';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-injected-test-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('evidence', () => {
  it('is seen if 60 consecutive characters of it are in the block', () => {
    expect(partSeen(`<memory>\n<entry>…${long.slice(20, 80)}…</entry>\n</memory>`, [long])).toBe(1);
    expect(partSeen(`<memory>\n<entry>…${long.slice(20, 79)}…</entry>\n</memory>`, [long])).toBe(0);
  });

  it('of fewer characters is seen if all of it is in the block', () => {
    expect(partSeen('<entry>Fleece it is.</entry>', ['Fleece it is.'])).toBe(1);
    expect(partSeen('<entry>Fleece it</entry>', ['Fleece it is.'])).toBe(0);
  });

  it('is counted by entry', () => {
    expect(partSeen(`<entry>${long}</entry>`, [long, 'Fleece it is.', 'Never said.', 'Nor this.'])).toBe(0.25);
    expect(partSeen('', [long])).toBe(0);
  });

  it('is recognised in markup and with any white space', () => {
    expect(partSeen('<entry>a &lt; b &amp;amp; c</entry>', ['a <\n\n b &amp; c'])).toBe(1);
    expect(partSeen('<entry>a\n\tb</entry>', ['a\u200b b'])).toBe(1);
  });
});

describe('the size of a block', () => {
  it('is one token per 3 bytes of UTF-8, rounded up, and the number of entries', () => {
    expect(sizeOf('')).toEqual({ tokens: 0, entries: 0, restatements: 0 });
    expect(sizeOf('<entry>é</entry>')).toEqual({ tokens: 6, entries: 1, restatements: 0 });
    expect(sizeOf('<entry>&lt;/entry></entry>\n<entry>b</entry>').entries).toBe(2);
  });
});

describe('a restatement', () => {
  it('is an entry with hardly any words that one above lacks', () => {
    const block = (...contents: string[]) =>
      contents.map((content) => `<entry source="a">${content}</entry>\n`).join('');
    const seats = 'Prefers aisle seats on flights';
    expect(sizeOf(block(seats, 'Preferred an aisle seat on a flight', 'Aisle seats')).restatements).toBe(2);
    expect(sizeOf(block('Aisle seats', seats)).restatements).toBe(0);
    expect(sizeOf(block('Lives in Berlin', 'Lives in Munich', 'Munich')).restatements).toBe(0);
  });
});

describe('a block', () => {
  it('is the text appended to the question', () => {
    expect(appendedTo('Why?', 'Why?\n\n<memory>\n</memory>')).toBe('<memory>\n</memory>');
    expect(appendedTo('Why?', 'Why?')).toBe('');
    expect(() => appendedTo('Why?', '<memory>\n</memory>')).toThrow('The question was replaced: Why?');
  });

  it.each([keepsake, inSameBlock(sqlite)])('of $name shows the requested entries', async (injector: Injector) => {
    const { answerable, unanswerable } = await showAll(injector, data.conversations, directory);

    expect(answerable.map(({ category }) => category)).toEqual(['knowledge_update', 'information_extraction']);
    expect(unanswerable).toHaveLength(1);
    for (const { seen, tokens, entries } of answerable) {
      expect(seen).toBeGreaterThan(0);
      expect(entries).toBeGreaterThanOrEqual(1);
      expect(tokens).toBeLessThanOrEqual(1_000);
    }
  });
});

describe('results', () => {
  const own = injectedBy('Keepsake', [1, 0.5, 0.5], [800, 800, 500], [600]);
  const results: InjectedResults = {
    data,
    own: [own],
    peers: [injectedBy('worse', [0, 0, 0], [1, 1, 1], [1]), injectedBy('best', [0.5, 0.25, 0.25], [9, 9, 0], [9])],
  };

  it('are judged by the targets of the data set', () => {
    expect(requirements(own, data).map(({ value, goal }) => [value, goal])).toEqual([
      ['66.7', { target: '≥ 50', met: true }],
      ['800', { target: '≤ 1,000', met: true }],
      ['0.86', { target: '≤ 0.6', met: false }],
    ]);
  });

  it('have no requirement for unanswerable questions if there are none', () => {
    const locomo: DataSet = { ...data, name: 'LoCoMo' };
    const answerable = injectedBy('Keepsake', [1], [1_001], []);

    expect(requirements(answerable, locomo).map(({ goal }) => goal)).toEqual([
      { target: '≥ 82', met: true },
      { target: '≤ 1,000', met: false },
    ]);
  });

  it('are compared with the best peer, paired by question', () => {
    expect(differences(results)).toMatchObject([
      { of: 'Keepsake', than: 'best', seen: { low: 0.25, high: 0.5 }, goal: { met: true } },
    ]);
  });

  it('are reported by category, with the unanswerable questions last', () => {
    const text = report(results);

    expect(text).toContain('BEAM. Conversations: 1. Questions: 3, and 1 unanswerable.');
    expect(text).toMatch(/\| all +\| 3 +\| 66\.7 \(/);
    expect(text).toMatch(/\| abstention +\| 1 +\| +\| +\| 0\.0 \(0\.0–0\.0\) +\| 600 \(600–600\)/);
    expect(JSON.stringify(toJson(results))).toContain('"unanswerable":{"questions":1');
  });

  function injectedBy(name: string, seen: number[], tokens: number[], unanswerable: number[]): Injected {
    const size = (tokens: number) => ({ tokens, entries: Math.sign(tokens), restatements: 0 });
    const shown = (seen: number, index: number): Shown => ({
      conversation: 'allotment',
      category: 'knowledge_update',
      seen,
      ...size(tokens[index] as number),
    });
    return {
      injector: { name, open: () => Promise.reject(new Error('Not opened.')) },
      shown: { answerable: seen.map(shown), unanswerable: unanswerable.map(size) },
    };
  }
});
